// SPDX-License-Identifier: Apache-2.0
// Loaded before prometheus-mssql-exporter, which takes no packet size: its own tedious asks for the
// one in EXPORTER_PACKET_SIZE. Nothing else of it changes.
"use strict";

const path = require("path");
const tedious = require(path.join(process.cwd(), "node_modules", "tedious"));

const Connection = tedious.Connection;
tedious.Connection = class extends Connection {
	constructor(config) {
		const packetSize = Number(process.env.EXPORTER_PACKET_SIZE);
		super({ ...config, options: { ...config.options, packetSize } });
	}
};
