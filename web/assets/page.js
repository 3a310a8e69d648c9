// The one-screen dashboard: asks the API every 5 s and shows what it says. No library.
// The target shown is the fragment of the address, so that a view can be linked to.
"use strict";

const PERIOD_MS = 5000;
const DAY_MS = 24 * 3600 * 1000;

const byId = (id) => document.getElementById(id);
const isKnown = (value) => value !== null && value !== undefined;
const number = (value, digits = 0) =>
	isKnown(value)
		? value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
		: "–";

// The reader's own time zone, 24 hours; the date too when it is not of the last day.
function clock(ms) {
	if (!ms) return "–";
	const time = new Date(ms);
	const hours = time.toLocaleTimeString("en", { hourCycle: "h23" });
	return Date.now() - ms < DAY_MS ? hours : time.toLocaleDateString("sv") + " " + hours;
}

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

// The links are made once and then only relabelled, so that the keyboard's focus stays where it is.
function showTargets(targets, chosen) {
	const nav = byId("targets");
	while (nav.children.length > targets.length) nav.lastChild.remove();
	while (nav.children.length < targets.length) nav.append(element("a"));
	targets.forEach((target, i) => {
		const link = nav.children[i];
		link.href = "#" + encodeURIComponent(target.name);
		link.replaceChildren(target.name);
		if (target.state !== "up") link.append(element("span", " " + target.state, "bad"));
		if (target === chosen) link.setAttribute("aria-current", "page");
		else link.removeAttribute("aria-current");
	});
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

// The figure stands beside it: the bar is for the eye only.
function shareBar(share) {
	const bar = element("div", null, "bar");
	const fill = element("div");
	fill.style.width = (share || 0) * 100 + "%";
	bar.setAttribute("aria-hidden", "true");
	bar.append(fill);
	return bar;
}

function waitRow(wait) {
	const name = cell(wait.name, "name");
	name.append(shareBar(wait.share));
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
	if (!spot.finding) return made;
	made.append(element("p", spot.finding.summary));
	if (spot.finding.expect) made.append(element("p", spot.finding.expect, "quiet"));
	if (spot.finding.statement) made.append(element("pre", spot.finding.statement));
	return made;
}

function showHotspots(hotspots) {
	const shown = hotspots.slice(0, 5).map(hotspotArticle);
	byId("hotspots").replaceChildren(...(shown.length ? shown : [element("p", "none", "quiet")]));
}

function alertClass(alert) {
	if (alert.state === "firing") return alert.severity === "warning" ? "warn" : "bad";
	return alert.state === "inactive" ? "quiet" : "warn";
}

function alertRow(alert) {
	const state = cell(alert.state.replaceAll("_", " "), alertClass(alert));
	state.append(", " + alert.severity);
	return row(
		cell(alert.rule, "name"),
		state,
		cell(isKnown(alert.value) ? number(alert.value) + " " + alert.unit : "–", "number"),
		cell(number(alert.threshold), "number"),
		cell(clock(alert.since), "time"),
	);
}

const waitingRow = (group) =>
	row(
		cell(group.wait_type, "name"),
		cell(group.resource.text || "–", "name"),
		cell(number(group.waiters), "number"),
		cell(number(group.longest_ms / 1000, 1), "number"),
		cell(isKnown(group.head_session_id) ? String(group.head_session_id) : "–", "number"),
	);

// Idle waits of sessions are no news; a sample that is too old would show what is long over.
function showWaiting(tasks) {
	const shown = tasks.resources.filter((group) => !group.benign).slice(0, 8);
	const isKnownNow = isKnown(tasks.t) && !tasks.stale;
	showRows("waiting", isKnownNow ? shown.map(waitingRow) : [], 5, isKnownNow ? "nobody" : "nothing is known");
}

const eventRow = (event) => row(cell(clock(event.t), "time"), cell(event.kind), cell(event.text, "name"));

function showTarget(top, hotspots, tasks, alerts, events) {
	showWaiting(tasks);
	showRows("waits", top.rows.map(waitRow), 4, top.covered ? "nothing waited" : "nothing is known");
	showHotspots(hotspots);
	showRows("alerts", alerts.map(alertRow), 5, "no rule on this target");
	showRows("events", events.map(eventRow), 3, "none");
}

async function refresh() {
	const wanted = decodeURIComponent(location.hash.slice(1));
	const { targets } = await ask("/api/v1/targets");
	const chosen = targets.find((target) => target.name === wanted) || targets[0];
	showTargets(targets, chosen);
	if (!chosen) {
		byId("summary").replaceChildren(element("p", "No target is configured.", "quiet"));
		showTarget({ rows: [], covered: 0 }, [], { t: null, resources: [] }, [], []);
		return;
	}
	const base = "/api/v1/targets/" + encodeURIComponent(chosen.name);
	const [top, hot, tasks, alerts, events] = await Promise.all([
		ask(base + "/waits/top?start=-5m&top=8"),
		ask(base + "/hotspots"),
		ask(base + "/tasks"),
		ask("/api/v1/alerts"),
		ask(base + "/events?limit=12"),
	]);
	if (decodeURIComponent(location.hash.slice(1)) !== wanted) return; // another was chosen meanwhile
	const concerned = alerts.alerts.filter((alert) => alert.target === null || alert.target === chosen.name);
	showSummary(chosen);
	showTarget(top, hot.hotspots, tasks, concerned, events.events);
}

// Only a failure is announced to who listens: a clock that speaks every 5 s would drown all else.
async function show() {
	const status = byId("freshness");
	try {
		await refresh();
		status.textContent = "as of " + clock(Date.now());
		status.className = "quiet";
		status.removeAttribute("role");
	} catch (error) {
		status.setAttribute("role", "alert");
		status.textContent = "latchd does not answer: " + error.message;
		status.className = "bad";
	}
}

async function turn() {
	await show();
	setTimeout(turn, PERIOD_MS);
}

window.addEventListener("hashchange", show);
turn();
