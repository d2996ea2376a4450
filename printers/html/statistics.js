// The page of -stats=html: the statistics of one run as bars (printers/html/README.md, "Statistics").

const run = JSON.parse(document.getElementById("run").textContent);
const sections = [];

const times = (count) => (count === 1 ? "once" : `${count} times`);

function seconds(value) {
  if (value >= 1) return `${value.toFixed(2)} s`;
  return value >= 1e-3 ? `${(value * 1e3).toFixed(1)} ms` : `${(value * 1e6).toFixed(0)} µs`;
}

// Those with the largest numbers first, as many as are worth reading; the others are one row.
function section(title, rows, { most = 40, of = String } = {}) {
  const positive = rows.filter((row) => row[1] > 0).sort((a, b) => b[1] - a[1]);
  if (positive.length === 0) return;
  const rest = positive.slice(most);
  const sum = rest.reduce((total, row) => total + row[1], 0);
  const shown = positive.slice(0, most).concat(rest.length ? [[`(${rest.length} more)`, sum, "", "before"]] : []);
  add(title, shown.map(([name, count, about, kind]) => [name, count, about, kind, of(count)]));
}

function add(title, rows) {
  if (rows.length) sections.push(element("h2", {}, title), bars(rows));
}

function about(name) {
  const { tried = 0, matched = 0, seconds: spent = 0 } = run.profile[name] ?? {};
  return `${name}\nfired ${times(run.rules[name] ?? 0)}, matched ${times(matched)}, tried ${times(tried)}, ${seconds(spent)}`;
}

const total = (list, key) => list.reduce((sum, each) => sum + each[key], 0);
const profile = Object.entries(run.profile);
const rewrites = total(run.phases, "rewrites");

section("Rewrites by rule", Object.entries(run.rules).map(([name, count]) => [name, count, about(name)]));
section("Time by rule", profile.map(([name, rule]) => [name, rule.seconds, about(name)]), { most: 20, of: seconds });
section("Rules that were tried in vain, by how often",
  profile.filter(([name]) => !run.rules[name]).map(([name, rule]) => [name, rule.tried, about(name)]), { most: 20 });
const ran = run.phases.filter((phase) => phase.rewrites || phase.nodes || phase.seconds >= 1e-6);
const ofPhase = ({ name, rewrites: count, nodes, seconds: spent }) => `${name}\n${count} rewrites, ${nodes} nodes made, ${seconds(spent)}`;
add("Phases in their order: time", ran.map((phase) => [phase.name, phase.seconds, ofPhase(phase), "", seconds(phase.seconds)]));
add("Phases: rewrites, and nodes made (grey)", ran.filter((phase) => phase.rewrites || phase.nodes).flatMap((phase) => [
  [phase.name, phase.rewrites, ofPhase(phase)], ["", phase.nodes, ofPhase(phase), "before"]]));
const operations = [...new Set([...Object.keys(run.before), ...Object.keys(run.after)])].sort();
add("Operations before (grey) and after", operations.flatMap((name) => [
  [name, run.before[name] ?? 0, `${name} before`, "before"], ["", run.after[name] ?? 0, `${name} after`]]));
add("Copies of arrays: in place, and made (grey)", Object.entries(run.copies ?? {}).flatMap(([name, count]) => [
  [name, count.in_place, `${name} in place`], ["", count.made, `${name}: copies made`, "before"]]));
add("Delayed rewrites that fired, and all (grey)", (run.delayed ?? []).flatMap((each) => [
  [`${each.what} at ${each.phase}`, each.fired], ["", each.put_off, "delayed", "before"]]));
add("Work of the evaluation", Object.entries(run.work ?? {}));

const fact = (name, text) => [element("dt", {}, name), element("dd", {}, text)];
document.title = `irrewrite: statistics of ${run.program}`;
document.getElementById("statistics").replaceChildren(
  element("h1", {}, `Statistics of ${run.program}`),
  element("dl", { class: "facts" },
    ...(run.files.length ? fact("rules", run.files.join(", ")) : []),
    ...fact("rewrites", `${rewrites} by ${Object.keys(run.rules).length} rules, of ${profile.length} that were tried`),
    ...fact("nodes made", String(run.nodes_created)),
    ...fact("time in phases", seconds(total(run.phases, "seconds")))),
  ...sections);
