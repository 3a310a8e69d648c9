// SPDX-License-Identifier: Apache-2.0
// Named checks, one after the other; the process fails if one does. The server to try is told by
// the environment: SIM_PORT, SIM_ENCRYPT (on or off), SIM_PACKET_SIZE
// (what is asked for), SIM_GRANTED_SIZE (what is given).
"use strict";

const assert = require("node:assert/strict");

const server = {
	host: "127.0.0.1",
	port: Number(process.env.SIM_PORT),
	encrypt: process.env.SIM_ENCRYPT === "on",
	packetSize: Number(process.env.SIM_PACKET_SIZE),
	grantedSize: Number(process.env.SIM_GRANTED_SIZE),
};

const PACKET_SIZE_QUERY = "SELECT net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID";
const LIMIT_MS = 30000;

function withLimit(promise, name) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error(`${name} takes too long`)), LIMIT_MS);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function runChecks(checks) {
	let failed = 0;
	for (const [name, check] of Object.entries(checks)) {
		try {
			await withLimit(check(), name);
			console.log(`ok ${name}`);
		} catch (error) {
			failed++;
			console.log(`FAILED ${name}: ${error.stack}`);
		}
	}
	process.exit(failed === 0 ? 0 : 1);
}

module.exports = { assert, server, runChecks, PACKET_SIZE_QUERY };
