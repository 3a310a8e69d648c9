// SPDX-License-Identifier: Apache-2.0
// npm tedious: types, nulls, parameters, prepared statements, cancel, transactions.
"use strict";

const { Connection, Request, TYPES } = require("tedious");
const { assert, server, runChecks, PACKET_SIZE_QUERY } = require("./checks.js");

const LONG_QUERY =
	"WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000000000) SELECT COUNT(*) AS c FROM n";

function connect() {
	return new Promise((resolve, reject) => {
		const connection = new Connection({
			server: server.host,
			authentication: { type: "default", options: { userName: "latchd", password: "latchd" } },
			options: {
				port: server.port,
				encrypt: server.encrypt,
				trustServerCertificate: true,
				packetSize: server.packetSize,
				database: "master",
				requestTimeout: 20000,
				rowCollectionOnRequestCompletion: true,
				useUTC: true,
			},
		});
		connection.connect((error) => (error ? reject(error) : resolve(connection)));
	});
}

function close(connection) {
	return new Promise((resolve) => {
		connection.on("end", resolve);
		connection.close();
	});
}

// Runs one request and resolves to its rows, its columns and its outputs.
function run(connection, sql, parameters = [], how = "execSql", values = undefined) {
	return new Promise((resolve, reject) => {
		const outputs = {};
		let columns = [];
		const request = new Request(sql, (error, rowCount, rows) => {
			if (error) reject(error);
			else resolve({ rowCount, rows: rows.map((row) => row.map((cell) => cell.value)), columns, outputs });
		});
		request.on("returnValue", (name, value) => (outputs[name] = value));
		request.on("columnMetadata", (metadata) => (columns = metadata));
		for (const [name, type, value, output, options] of parameters) {
			if (output) request.addOutputParameter(name, type, value, options);
			else request.addParameter(name, type, value, options);
		}
		connection[how](request, values);
	});
}

async function withConnection(work) {
	const connection = await connect();
	try {
		await work(connection);
	} finally {
		await close(connection);
	}
}

async function roundTrip(type, value, sqlType, expected = value) {
	await withConnection(async (connection) => {
		const answer = await run(connection, `SELECT CAST(@p AS ${sqlType}) AS v, @p AS w`, [["p", type, value]]);
		assert.deepEqual(answer.rows[0][0], expected);
	});
}

const checks = {
	"packets have the size": () =>
		withConnection(async (connection) => {
			const { rows } = await run(connection, PACKET_SIZE_QUERY);
			assert.equal(rows[0][0], server.grantedSize);
		}),

	"views have the types of the documentation": () =>
		withConnection(async (connection) => {
			const answer = await run(connection, "SELECT * FROM sys.dm_os_wait_stats", [], "execSqlBatch");
			assert.ok(answer.rowCount > 100);
			assert.deepEqual(
				answer.columns.map((column) => column.colName),
				["wait_type", "waiting_tasks_count", "wait_time_ms", "max_wait_time_ms", "signal_wait_time_ms"],
			);
			assert.equal(answer.columns[1].type.name, "IntN");
			assert.equal(typeof answer.rows[0][1], "string"); // bigint
		}),
	"every view answers whole": () =>
		withConnection(async (connection) => {
			for (const view of ["dm_os_latch_stats", "dm_os_spinlock_stats", "dm_exec_requests", "dm_exec_sessions", "databases", "objects", "indexes"]) {
				const answer = await run(connection, `SELECT * FROM sys.${view}`, [], "execSqlBatch");
				assert.ok(answer.rowCount > 0, view);
				assert.equal(answer.rows.length, answer.rowCount, view);
			}
		}),
	"int parameters": () => roundTrip(TYPES.Int, -5, "int"),
	"tinyint parameters": () => roundTrip(TYPES.TinyInt, 255, "tinyint"),
	"smallint parameters": () => roundTrip(TYPES.SmallInt, -32768, "smallint"),
	"bigint parameters": () => roundTrip(TYPES.BigInt, "9007199254740993", "bigint"),
	"bit parameters": () => roundTrip(TYPES.Bit, true, "bit"),
	"float parameters": () => roundTrip(TYPES.Float, 1.5e300, "float"),
	"real parameters": () => roundTrip(TYPES.Real, 0.25, "real"),
	"nvarchar parameters": () => roundTrip(TYPES.NVarChar, "grün \u{1F512} 漢", "nvarchar(50)"),
	"varchar parameters": () => roundTrip(TYPES.VarChar, "plain", "nvarchar(50)"),
	"long nvarchar parameters": () => roundTrip(TYPES.NVarChar, "äb".repeat(20000), "nvarchar(max)"),
	"empty long nvarchar": () => roundTrip(TYPES.NVarChar, "", "nvarchar(max)"),
	"varbinary parameters": () => roundTrip(TYPES.VarBinary, Buffer.from([0, 1, 255]), "varbinary(10)"),
	"long varbinary parameters": () => roundTrip(TYPES.VarBinary, Buffer.alloc(30000, 7), "varbinary(max)"),
	"datetime parameters": () => {
		const moment = new Date("2024-05-01T10:11:12.340Z");
		return roundTrip(TYPES.DateTime, moment, "datetime", moment);
	},
	"datetime2 parameters": () =>
		withConnection(async (connection) => {
			const moment = new Date("2024-05-01T10:11:12.345Z");
			const answer = await run(connection, "SELECT CAST(@p AS datetime2) AS v", [["p", TYPES.DateTime2, moment]]);
			assert.equal(answer.rows[0][0].getTime(), moment.getTime());
		}),
	"decimal parameters": () =>
		withConnection(async (connection) => {
			const answer = await run(connection, "SELECT CAST(@p AS float) AS v", [
				["p", TYPES.Decimal, -12.25, false, { precision: 10, scale: 2 }],
			]);
			assert.deepEqual(answer.rows, [[-12.25]]);
		}),
	"uniqueidentifier parameters": () =>
		roundTrip(TYPES.UniqueIdentifier, "6F9619FF-8B86-D011-B42D-00C04FC964FF", "nvarchar(36)"),
	"null parameters of every type": () =>
		withConnection(async (connection) => {
			for (const type of ["Int", "BigInt", "Bit", "Float", "NVarChar", "VarBinary", "DateTime", "DateTime2"]) {
				const answer = await run(connection, "SELECT @p AS v, CASE WHEN @p IS NULL THEN 1 ELSE 0 END AS n", [
					["p", TYPES[type], null],
				]);
				assert.deepEqual(answer.rows, [[null, 1]], type);
			}
		}),
	"rows with many nulls": () =>
		withConnection(async (connection) => {
			const answer = await run(connection, "SELECT NULL AS a, NULL AS b, 3 AS c, NULL AS d, NULL AS e, NULL AS f, NULL AS g, 8 AS h, NULL AS i, 10 AS j", [], "execSqlBatch");
			assert.deepEqual(answer.rows, [[null, null, 3, null, null, null, null, 8, null, 10]]);
		}),
	"outputs come back": () =>
		withConnection(async (connection) => {
			const answer = await run(connection, "SET @n = @i * 2; SELECT @t = N'text ' + @s", [
				["i", TYPES.Int, 21],
				["s", TYPES.NVarChar, "ü"],
				["n", TYPES.Int, null, true],
				["t", TYPES.NVarChar, null, true],
			]);
			assert.deepEqual(answer.outputs, { n: 42, t: "text ü" });
		}),
	"prepared statements run again and again": () =>
		withConnection(async (connection) => {
			const answers = await new Promise((resolve, reject) => {
				const found = [];
				const request = new Request("SELECT @a + @b AS sum", (error, count, rows) => {
					if (error) return reject(error);
					if (rows && rows.length > 0) found.push(rows[0][0].value);
					if (found.length < 3) connection.execute(request, { a: found.length, b: 10 });
					else resolve([found, request]);
				});
				request.addParameter("a", TYPES.Int);
				request.addParameter("b", TYPES.Int);
				request.once("prepared", () => connection.execute(request, { a: 0, b: 10 }));
				connection.prepare(request);
			});
			assert.deepEqual(answers[0].slice(0, 3), [10, 11, 12]);
			const again = await run(connection, "SELECT 1 AS one");
			assert.deepEqual(again.rows, [[1]]);
		}),
	"errors carry number and severity": () =>
		withConnection(async (connection) => {
			await assert.rejects(run(connection, "SELECT * FROM sys.nothing", []), (error) => error.number === 208 && error.class === 16);
			await assert.rejects(run(connection, "EXEC sp_nothing", [], "execSqlBatch"), (error) => error.number === 2812);
			assert.deepEqual((await run(connection, "SELECT 2 AS two")).rows, [[2]]);
		}),
	"unknown procedures are told": () =>
		withConnection((connection) =>
			assert.rejects(run(connection, "sp_nothing", [], "callProcedure"), (error) => error.number === 2812),
		),
	"a running query can be cancelled": () =>
		withConnection(async (connection) => {
			for (const how of ["execSql", "execSqlBatch"]) {
				const started = Date.now();
				const running = run(connection, LONG_QUERY, [], how);
				setTimeout(() => connection.cancel(), 200);
				await assert.rejects(running, (error) => error.code === "ECANCEL");
				assert.ok(Date.now() - started < 4000);
				assert.deepEqual((await run(connection, "SELECT 3 AS three")).rows, [[3]]);
			}
		}),
	"a query that takes too long is given up": () =>
		withConnection(async (connection) => {
			const running = new Promise((resolve, reject) => {
				const request = new Request(LONG_QUERY, (error) => (error ? reject(error) : resolve()));
				request.setTimeout(300);
				connection.execSql(request);
			});
			await assert.rejects(running, (error) => error.code === "ETIMEOUT");
			assert.deepEqual((await run(connection, "SELECT 4 AS four")).rows, [[4]]);
		}),
	"transactions begin, save, commit and roll back": () =>
		withConnection(async (connection) => {
			const step = (name, ...rest) =>
				new Promise((resolve, reject) => connection[name]((error) => (error ? reject(error) : resolve()), ...rest));
			const count = async () => (await run(connection, "SELECT @@TRANCOUNT AS n")).rows[0][0];
			assert.equal(await count(), 0);
			await step("beginTransaction", "first");
			assert.equal(await count(), 1);
			await step("saveTransaction", "here");
			await step("rollbackTransaction", "here");
			assert.equal(await count(), 1);
			await step("commitTransaction");
			assert.equal(await count(), 0);
			await step("beginTransaction");
			await step("rollbackTransaction");
			assert.equal(await count(), 0);
			await assert.rejects(run(connection, "COMMIT", [], "execSqlBatch"), (error) => error.number === 3902);
		}),
	"a reset session is as new": () =>
		withConnection(async (connection) => {
			await run(connection, "USE Sales", [], "execSqlBatch");
			assert.equal((await run(connection, "SELECT DB_NAME() AS d")).rows[0][0], "Sales");
			await new Promise((resolve, reject) => connection.reset((error) => (error ? reject(error) : resolve())));
			assert.equal((await run(connection, "SELECT DB_NAME() AS d")).rows[0][0], "master");
		}),
	"many connections at once": async () => {
		const connections = await Promise.all(Array.from({ length: 40 }, connect));
		const answers = await Promise.all(connections.map((connection) => run(connection, "SELECT @@SPID AS s")));
		assert.equal(new Set(answers.map((answer) => answer.rows[0][0])).size, 40);
		await Promise.all(connections.map(close));
	},
};

runChecks(checks);
