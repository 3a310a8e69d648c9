// SPDX-License-Identifier: Apache-2.0
// npm mssql: pooling, types, prepared statements, streams, cancel, transactions.
"use strict";

const sql = require("mssql");
const { assert, server, runChecks, PACKET_SIZE_QUERY } = require("./checks.js");

const LONG_QUERY =
	"WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000000000) SELECT COUNT(*) AS c FROM n";

async function withPool(work, pool = { max: 4, min: 0 }) {
	const connection = await new sql.ConnectionPool({
		server: server.host,
		port: server.port,
		user: "latchd",
		password: "latchd",
		database: "Sales",
		pool,
		requestTimeout: 20000,
		options: { encrypt: server.encrypt, trustServerCertificate: true, packetSize: server.packetSize },
	}).connect();
	try {
		await work(connection);
	} finally {
		await connection.close();
	}
}

const checks = {
	"packets have the size": () =>
		withPool(async (pool) => {
			const { recordset } = await pool.request().query(PACKET_SIZE_QUERY);
			assert.equal(recordset[0].net_packet_size, server.grantedSize);
		}),

	"a pool lends its sessions again": () =>
		withPool(
			async (pool) => {
				const seen = new Set();
				for (let i = 0; i < 6; i++) {
					const { recordset } = await pool.request().query("SELECT @@SPID AS session, DB_NAME() AS name");
					assert.equal(recordset[0].name, "Sales");
					seen.add(recordset[0].session);
				}
				assert.equal(seen.size, 1);
			},
			{ max: 1, min: 0 },
		),
	"a pool serves more requests than it has sessions": () =>
		withPool(async (pool) => {
			const requests = Array.from({ length: 60 }, (_, i) => pool.request().input("i", sql.Int, i).query("SELECT @i AS i"));
			const answers = await Promise.all(requests);
			assert.deepEqual(answers.map((answer) => answer.recordset[0].i), [...Array(60).keys()]);
		}),
	"types and nulls come back": () =>
		withPool(async (pool) => {
			const moment = new Date("2025-12-31T23:59:59.997Z");
			const { recordset } = await pool
				.request()
				.input("i", sql.Int, -1)
				.input("b", sql.BigInt, "9223372036854775807")
				.input("t", sql.NVarChar, "Ωmega")
				.input("l", sql.NVarChar(sql.MAX), "x".repeat(70000))
				.input("d", sql.DateTime, moment)
				.input("x", sql.VarBinary, Buffer.from("latch"))
				.input("f", sql.Float, 0.1)
				.input("y", sql.Bit, false)
				.input("n", sql.Int, null)
				.query("SELECT @i AS i, @b AS b, @t AS t, @l AS l, @d AS d, @x AS x, @f AS f, @y AS y, @n AS n");
			assert.deepEqual(recordset[0], {
				i: -1,
				b: "9223372036854775807",
				t: "Ωmega",
				l: "x".repeat(70000),
				d: moment,
				x: Buffer.from("latch"),
				f: 0.1,
				y: false,
				n: null,
			});
		}),
	"several results come apart": () =>
		withPool(async (pool) => {
			const answer = await pool.request().query("SELECT 1 AS a; SELECT TOP 3 wait_type FROM sys.dm_os_wait_stats; SELECT 2 AS b");
			assert.deepEqual(answer.recordsets.map((set) => set.length), [1, 3, 1]);
			assert.deepEqual(answer.rowsAffected, [1, 3, 1]);
		}),
	"outputs come back": () =>
		withPool(async (pool) => {
			const answer = await pool.request().input("a", sql.Int, 4).output("o", sql.NVarChar(20)).query("SELECT @o = N'n' + CAST(@a AS nvarchar(10))");
			assert.equal(answer.output.o, "n4");
		}),
	"prepared statements": () =>
		withPool(async (pool) => {
			const statement = new sql.PreparedStatement(pool);
			statement.input("a", sql.Int);
			await statement.prepare("SELECT @a * 2 AS twice");
			for (const a of [1, 2, 3]) assert.equal((await statement.execute({ a })).recordset[0].twice, 2 * a);
			await statement.unprepare();
		}),
	"rows arrive as a stream": () =>
		withPool(async (pool) => {
			const request = pool.request();
			request.stream = true;
			let rows = 0;
			await new Promise((resolve, reject) => {
				request.on("row", () => rows++);
				request.on("error", reject);
				request.on("done", resolve);
				request.query("SELECT * FROM sys.dm_os_wait_stats");
			});
			assert.ok(rows > 100);
		}),
	"a cancelled request leaves its session usable": () =>
		withPool(
			async (pool) => {
				const request = pool.request();
				const running = request.query(LONG_QUERY);
				setTimeout(() => request.cancel(), 300);
				await assert.rejects(running, (error) => error.code === "ECANCEL");
				assert.equal((await pool.request().query("SELECT 5 AS five")).recordset[0].five, 5);
			},
			{ max: 1, min: 0 },
		),
	"transactions commit and roll back": () =>
		withPool(async (pool) => {
			for (const end of ["commit", "rollback"]) {
				const transaction = new sql.Transaction(pool);
				await transaction.begin(sql.ISOLATION_LEVEL.SERIALIZABLE);
				const { recordset } = await new sql.Request(transaction).query("SELECT @@TRANCOUNT AS n");
				assert.equal(recordset[0].n, 1);
				await transaction[end]();
			}
			assert.equal((await pool.request().query("SELECT @@TRANCOUNT AS n")).recordset[0].n, 0);
		}),
	"errors name their number": () =>
		withPool((pool) => assert.rejects(pool.request().query("SELECT * FROM nowhere"), (error) => error.number === 208)),
	"a wrong password is told": () =>
		assert.rejects(
			new sql.ConnectionPool({
				server: server.host,
				port: server.port,
				user: "latchd",
				password: "wrong",
				options: { encrypt: server.encrypt, trustServerCertificate: true },
			}).connect(),
			(error) => error.code === "ELOGIN",
		),
};

runChecks(checks);
