// The one-screen dashboard: asks the API every 5 s and shows what it says. No library.
"use strict";

const PERIOD_MS = 5000;
let chosen = null;

const byId = (id) => document.getElementById(id);
const isKnown = (value) => value !== null && value !== undefined;
const number = (value, digits = 0) =>
	isKnown(value) ? value.toLocaleString("en", { maximumFractionDigits: digits }) : "–";
const clock = (ms) => (ms ? new Date(ms).toLocaleTimeString() : "–");

function element(tag, text, className) {
	const made = document.createElement(tag);
	if (isKnown(text)) made.textContent = text;
	if (className) made.className = className;
	return made;
}

const cell = (text, className) => element("td", text, className);

function row(...cells) {
	const made = element("tr");
	made.append(...cells);
	return made;
}

// Replaces the rows of a table; what it says when there are none spans its columns.
function showRows(id, rows, columns, emptyText) {
	const empty = cell(emptyText, "quiet");
	empty.colSpan = columns;
	byId(id).replaceChildren(...(rows.length ? rows : [row(empty)]));
}

async function ask(path) {
	const answer = await fetch(path);
	const body = await answer.json();
	if (!answer.ok) throw new Error(body.detail || body.title);
	return body;
}

function targetButton(target) {
	const button = element("button", target.name);
	button.type = "button";
	button.setAttribute("aria-pressed", String(target.name === chosen));
	button.addEventListener("click", () => {
		chosen = target.name;
		refresh();
	});
	return button;
}

function showSummary(target) {
	const isGood = target.state === "up" && !target.stale;
	const about = [
		target.server_name || target.host + ":" + target.port,
		target.version && "SQL Server " + target.version,
		target.edition,
		target.schedulers && target.schedulers + " schedulers",
	].filter(Boolean);
	const age = isKnown(target.age_ms) ? "polled " + number(target.age_ms / 1000, 1) + " s ago" : "never polled";
	const line = element("div");
	line.append(
		element("strong", target.state, isGood ? "good" : "bad"),
		element("span", " · " + about.join(" · ") + " · "),
		element("span", target.stale ? age + ", stale" : age, target.stale ? "warn" : "quiet"),
	);
	byId("summary").replaceChildren(line);
	if (target.last_error) byId("summary").append(element("div", target.last_error.text, "bad"));
}

function waitRow(wait) {
	const name = cell(wait.name);
	const meter = element("meter");
	meter.value = wait.share || 0;
	name.append(meter);
	return row(
		name,
		cell(number(wait.ms_per_sec), "number"),
		cell(isKnown(wait.share) ? number(wait.share * 100, 1) + " %" : "–", "number"),
		cell(number(wait.avg_wait_ms, 2), "number"),
	);
}

function hotspotArticle(spot) {
	const names = [spot.database, spot.object, spot.index].filter(Boolean);
	const title = element("p");
	title.append(
		element("strong", names.join(" · ") || "page " + spot.page.resource),
		element("span", " " + spot.kind.replaceAll("_", " "), spot.state === "active" ? "bad" : "quiet"),
	);
	const figures = [
		spot.state + ", " + spot.confidence,
		"page " + spot.page.resource,
		number(spot.ms_per_sec) + " ms/s of " + spot.wait_type,
		number(spot.waiters.avg, 1) + " waiters on average, " + number(spot.waiters.max) + " at most",
		"seen " + clock(spot.first_seen) + " to " + clock(spot.last_seen),
	];
	const made = element("article");
	made.append(title, element("p", figures.join(" · "), "quiet"));
	if (spot.finding) made.append(element("p", spot.finding.summary));
	if (spot.finding && spot.finding.statement) made.append(element("pre", spot.finding.statement));
	return made;
}

function showHotspots(hotspots) {
	const shown = hotspots.slice(0, 5).map(hotspotArticle);
	byId("hotspots").replaceChildren(...(shown.length ? shown : [element("p", "none", "quiet")]));
}

function alertRow(alert) {
	const classes = { firing: "bad", pending: "warn", no_data: "warn", inactive: "quiet" };
	return row(
		cell(alert.rule),
		cell(alert.state, classes[alert.state]),
		cell(number(alert.value) + " " + alert.unit, "number"),
		cell(clock(alert.since)),
	);
}

const eventRow = (event) => row(cell(clock(event.t)), cell(event.kind), cell(event.text));

async function refresh() {
	const { targets } = await ask("/api/v1/targets");
	if (!targets.some((target) => target.name === chosen)) chosen = targets.length ? targets[0].name : null;
	byId("targets").replaceChildren(...targets.map(targetButton));
	if (chosen === null) {
		byId("summary").replaceChildren(element("p", "No target is configured.", "quiet"));
		return;
	}
	showSummary(targets.find((target) => target.name === chosen));
	const base = "/api/v1/targets/" + encodeURIComponent(chosen);
	const [top, hot, alerts, events] = await Promise.all([
		ask(base + "/waits/top?start=-5m"),
		ask(base + "/hotspots"),
		ask("/api/v1/alerts"),
		ask(base + "/events?limit=12"),
	]);
	const concerned = alerts.alerts.filter((alert) => alert.target === null || alert.target === chosen);
	showRows("waits", top.rows.map(waitRow), 4, "nothing waited");
	showHotspots(hot.hotspots);
	showRows("alerts", concerned.map(alertRow), 4, "no rule on this target");
	showRows("events", events.events.map(eventRow), 3, "none");
}

async function turn() {
	const status = byId("freshness");
	try {
		await refresh();
		status.textContent = "as of " + new Date().toLocaleTimeString();
		status.className = "quiet";
	} catch (error) {
		status.textContent = "latchd does not answer: " + error.message;
		status.className = "bad";
	}
	setTimeout(turn, PERIOD_MS);
}

turn();
