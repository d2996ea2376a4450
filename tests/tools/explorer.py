#!/usr/bin/env python3
"""The page of `-emit html`: its data are the run, and in a browser it shows them.

The page of `-stats=html` holds what `-stats=json` tells, and shows it as bars.

The data of the page, of samples and of made programs:
- the first snapshot is the program as it is printed without rules, the last one the output of `-emit ir`, and one after N
  rewrites that of `-max-rewrites N`;
- the steps are those of `-trace`, and each rule stands in its file with the text that the page shows;
- a mark of the text is the name or the operation of its node; types, uses and blocks are those of `-emit json`;
- reasons why rules do not apply are those of `-why-not`;
- the page is the same each time, refers to nothing outside of it, and does not grow beyond its limits;
- errors are those of any other kind of output.

With Chromium, if it is installed (CHROMIUM names it): the page loads without an error, a click on a value fills the panel
with its type and the rules that `-explain` names, the slider, keys, search and folding do what they say, in 10,000 rewrites,
too.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))
SAMPLES = [("stats", "fusion"), ("kmeans", "fusion"), ("conditional", "fusion"), ("local_memory", "effects"), ("softmax", "fusion")]
DEFINITION, USE, OPERATION = range(3)


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, code=0):
        done = subprocess.run([self.path, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT)
        assert done.returncode == code, f"{arguments}: exit code {done.returncode}, {done.stderr[-500:]}"
        return done

    def page(self, *arguments):
        return self.run(*arguments, "-emit", "html", "-quiet").stdout


def data_of(page):
    return json.loads(re.search(r'<script id="run" type="application/json">(.*?)</script>', page, re.S)[1])


def program(run, snapshot):
    texts = ([run["structs"]] if run["structs"] else []) + [run["functions"][i]["text"] for i in snapshot["functions"]]
    return "\n".join(texts)


def marks(function):
    """(text, kind, node) of each mark."""
    flat = function["marks"]
    for begin, size, kind, node in zip(*[iter(flat)] * 4):
        yield function["text"][begin:begin + size], kind, function["nodes"][node]


def rewrites(run):
    return [step for step in run["steps"] if "rule" in step]


def wrong_snapshots(tool, run, arguments, original):
    yield "the first snapshot is the program", run["snapshots"][0]["at"] == 0 and program(run, run["snapshots"][0]) == original
    last = run["snapshots"][-1]
    yield "the last snapshot is the result", program(run, last) == tool.run(*arguments, "-quiet").stdout
    yield "its label", last["label"] == "after" and last["at"] == len(rewrites(run))
    points = [snapshot["at"] for snapshot in run["snapshots"]]
    yield "snapshots are in order", points == sorted(points)
    between = [s for s in run["snapshots"] if "label" not in s]
    for snapshot in between[::max(1, len(between) // 5)]:
        stopped = tool.run(*arguments, "-quiet", "-trace", "-max-rewrites", snapshot["at"]).stdout
        yield f"the program after {snapshot['at']} rewrites", program(run, snapshot) == stopped
    for snapshot in run["snapshots"][:-1]:
        if snapshot.get("label", "").startswith("after phase "):
            stopped = tool.run(*arguments, "-quiet", "-until", snapshot["label"].split()[-1]).stdout
            yield snapshot["label"], program(run, snapshot) == stopped


def wrong_steps(tool, run, arguments):
    lines = tool.run(*arguments, "-quiet", "-trace=json", "-o", os.devnull).stderr.splitlines()
    traced = [step for step in map(json.loads, lines) if "rule" in step]
    shown = [(s["function"], s["phase"], run["rules"][s["rule"]]["name"], s["before"], s["after"]) for s in rewrites(run)]
    yield "the steps are those of -trace", shown == [tuple(s[key] for key in ("function", "phase", "rule", "before", "after"))
                                                     for s in traced]
    for rule in run["rules"]:
        if rule["fired"]:
            lines = (ROOT / "rules" / rule["file"]).read_text().split("\n")[rule["line"] - 1:]
            yield f"the text of {rule['name']}", "=>" in rule["text"] and "\n".join(lines)[:400].find(rule["text"][:300]) >= 0
    stats = json.loads(tool.run(*arguments, "-quiet", "-trace", "-stats=json", "-o", os.devnull).stderr.splitlines()[-1])
    yield "the counts are those of -stats", {r["name"]: r["fired"] for r in run["rules"] if r["fired"]} == stats["rules"]


def is_mark_of(text, kind, node):
    if kind == OPERATION:
        return node["op"] in ("tuple", "list", "project", "struct", "call") or text.split("[")[0] == node["op"] or "op" in node and not text[0].isalpha()
    return text.startswith("%")


def types_of(nodes, types):
    """The types of operations, by operation, of a list of nodes of -emit json and of what stands in it."""
    for node in nodes:
        types.setdefault(node["op"], set()).add(node["type"])
        for block in node["blocks"]:
            types_of(block["nodes"], types)
    return types


def wrong_values(tool, run, arguments):
    printed = {f["name"]: f for f in json.loads(tool.run(*arguments, "-quiet", "-emit", "json").stdout)["functions"]}
    for number in run["snapshots"][-1]["functions"]:
        function = run["functions"][number]
        wanted = types_of(printed[function["name"]].get("nodes", []), {})
        parameters = {f"%{p['name']}": p["type"] for p in printed[function["name"]]["params"]}
        for text, kind, node in marks(function):
            yield f"the mark {text}", is_mark_of(text, kind, node)
            if kind == OPERATION:
                yield f"the type of {text}", node["type"] in wanted.get(node["op"], ())
            if kind == DEFINITION and "op" not in node and "owner" not in node and text in parameters:
                yield f"the type of {text}", node["type"] == parameters[text]
        names = re.findall(r"%\w[\w.]*", function["text"])
        marked = [text for text, kind, _ in marks(function) if kind != OPERATION]
        yield "every name that is used is marked", len(marked) >= 0.9 * len(names)


def wrong_reasons(tool, run, arguments):
    """Of named results of the first function: what -why-not says."""
    function = run["functions"][run["snapshots"][-1]["functions"][0]]
    reasons = run["failures"].get(function["name"], {})
    result = function["nodes"][function["results"][0]] if function["results"] else {}
    for rule, why in reasons.get(str(result.get("id")), [])[:4]:
        said = tool.run(*arguments, "-quiet", "-trace", "-why-not", run["rules"][rule]["name"], f"@{function['name']}").stdout
        yield f"why not {run['rules'][rule]['name']}", " ".join(why.split()) in " ".join(said.split())


def wrong_page(page):
    outside = re.sub(r'<script id="run".*?</script>', "", page, flags=re.S)
    yield "it refers to nothing outside", not re.search(r"https?://|@import|\bsrc=|<link|url\(", outside)
    yield "no text ends a script", page.count("</script>") == 2


def data_tests(tool, folder):
    for sample, rules in SAMPLES:
        arguments = ["-rules", f"{rules}.rules", f"samples/{sample}.ir"]
        page = tool.page(*arguments)
        run = data_of(page)
        original = tool.run(f"samples/{sample}.ir").stdout
        for check in (wrong_snapshots(tool, run, arguments, original), wrong_steps(tool, run, arguments),
                      wrong_values(tool, run, arguments), wrong_reasons(tool, run, arguments), wrong_page(page)):
            for what, holds in check:
                yield f"{sample}: {what}", holds
        yield f"{sample}: the same page again", page == tool.page(*arguments)
        yield f"{sample}: every rewrite has a snapshot", {s["at"] for s in run["snapshots"]} == set(range(len(rewrites(run)) + 1))
    yield from own_programs(tool, folder)
    yield from errors(tool, folder)


def own_programs(tool, folder):
    tags = folder / "tags.ir"
    tags.write_text('// </script><script>alert(1)</script> <!--\nfunc @f() -> []u8 { return "</script><!-- /* the scripts */" }\n')
    page = tool.page(tags)
    yield "tags in a program", all(holds for _, holds in wrong_page(page)) and "alert(1)" in data_of(page)["source"]["text"]
    empty = folder / "empty.ir"
    empty.write_text("")
    yield "an empty program", data_of(tool.page(empty))["snapshots"][-1]["functions"] == []
    opaque = data_of(tool.page("-rules", "rules/examples/matrices.rules", "rules/examples/matrices.ir"))
    yield "no C++, and why", opaque["cpp"]["text"] == "" and opaque["cpp"]["error"] != ""
    structs = folder / "structs.ir"
    structs.write_text("struct P { x: f64 }\nfunc @f(%p: P) -> f64 { return %p.x }\nextern func @g(%a: f64) -> f64 pure\n")
    run = data_of(tool.page(structs))
    yield "structs and external functions", program(run, run["snapshots"][-1]) == tool.run(structs).stdout


def errors(tool, folder):
    out = folder / "out.html"
    out.write_text("old")
    bad = folder / "bad.ir"
    bad.write_text("func @f() -> i64 { return %y }")
    done = tool.run(bad, "-emit", "html", "-o", out, code=1)
    yield "an error in the program", "unknown value '%y'" in done.stderr and out.read_text() == "old"
    wrap = folder / "wrap.ir"
    wrap.write_text("func @f(%x: Term) -> Term { return wrap(%x) }")
    done = tool.run("-rules", "samples/grows.rules", wrap, "-fuel", 1000, "-emit", "html", "-o", out, code=4)
    yield "out of fuel", "out of fuel after 1000 rewrites" in done.stderr and "note: " in done.stderr and out.read_text() == "old"
    done = tool.run("samples/stats.ir", "-emit", "html", "-driver", code=2)
    yield "-driver is for programs", "'-driver' goes with" in done.stderr
    done = tool.run("samples/stats.ir", "-emit", "html", "-run", "@stats([1.0])")
    yield "-run evaluates", done.stdout == "1.0\n1\n"
    done = tool.run("-rules", "fusion.rules", "samples/stats.ir", "-emit", "html", "-o", out)
    yield "no trace on standard error, and the file", done.stderr == "" and out.read_text().startswith("<!DOCTYPE html>")
    stopped = data_of(tool.page("-rules", "fusion.rules", "samples/stats.ir", "-max-rewrites", 4))
    yield "a run that stops", len(rewrites(stopped)) == 4 and stopped["snapshots"][-1]["at"] == 4


def statistics_of(tool, *arguments):
    page = tool.run(*arguments, "-stats=html").stdout
    told = json.loads(tool.run(*arguments, "-stats=json", "-o", os.devnull).stderr.splitlines()[-1])
    return page, data_of(page), told


def without_times(statistics):
    kept = {key: value for key, value in statistics.items() if key not in ("program", "files")}
    kept["phases"] = [{key: value for key, value in phase.items() if key != "seconds"} for phase in kept["phases"]]
    kept["profile"] = {name: {key: value for key, value in rule.items() if key != "seconds"} for name, rule in kept["profile"].items()}
    return kept


def statistics_tests(tool, browser, folder):
    """-stats=html: what -stats=json tells, as bars."""
    rules = ["-rules", "fusion.rules"]
    for arguments in ([*rules, "samples/kmeans.ir"], [*rules, "samples/kmeans.ir", "-emit", "cpp"], ["samples/stats.ir"],
                      [*rules, "samples/stats.ir", "-run", "@stats([1.0])"], ["-rules", "rules/examples/matrices.rules", "rules/examples/matrices.ir"]):
        page, data, told = statistics_of(tool, *arguments)
        yield f"statistics of {arguments}", without_times(data) == without_times(told)
        yield "times of rules", all(rule["seconds"] >= 0 for rule in data["profile"].values())
        for what, holds in wrong_page(page):
            yield f"statistics: {what}", holds
    done = tool.run("samples/stats.ir", "-stats=html", "-explain", "%sum", code=2)
    yield "one page in the place of one output", "'-stats=html' is a page in the place of the program" in done.stderr
    tool.run(*rules, "samples/stats.ir", "samples/kmeans.ir", "-stats=html", "-o", folder)
    yield "pages of several programs", (folder / "kmeans.html").read_text().startswith("<!DOCTYPE html>")
    if not browser:
        return
    path = folder / "statistics.html"
    tool.run(*rules, "samples/kmeans.ir", "-emit", "cpp", "-stats=html", "-o", path)
    run = data_of(path.read_text())
    browser.open(path)
    yield "it loads without an error", not browser.errors
    heads = browser.ask("[...document.querySelectorAll('h2')].map((head) => head.innerText)")
    yield "its parts", heads[:2] == ["Rewrites by rule", "Time by rule"] and "Operations before (grey) and after" in heads and len(heads) >= 6
    rows = browser.ask("[...document.querySelector('.bars').children].map((cell) => cell.innerText || cell.style.width)")
    most = max(run["rules"].values())
    yield "rules in the order of their rewrites", rows[:3] == [max(run["rules"], key=lambda r: run["rules"][r]), "100%", str(most)]
    yield "bars as long as their counts", all(abs(float(width[:-1]) - 100 * int(count) / most) < 0.1 for width, count in zip(rows[1::3], rows[2::3]))
    for scheme, wanted in (("dark", "rgb(20, 23, 29)"), ("light", "rgb(255, 255, 255)")):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        yield f"statistics: {scheme} mode", browser.ask("getComputedStyle(document.body).backgroundColor") == wanted
    browser.call("Emulation.setEmulatedMedia", features=[])


class Browser:
    """Chromium without a window, by the DevTools protocol over pipes."""

    def __init__(self, path):
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []

        def descriptors():
            kept = os.dup(write_answers)
            os.dup2(os.dup(read_commands), 3)
            os.dup2(kept, 4)
        self.process = subprocess.Popen(
            [path, "--headless", *sandbox, "--disable-gpu", "--no-first-run", "--window-size=1500,900",
             f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.rest, self.number, self.session, self.errors = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Page.enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 20)
            assert more, "the browser ended"
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(text)
        if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.errors.append(json.dumps(message["params"])[:500])
        return message

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self.message()).get("id") != self.number:
            pass
        assert "error" not in answer, f"{method}: {answer}"
        return answer["result"]

    def open(self, path):
        self.errors = []
        began = time.monotonic()
        self.call("Page.navigate", url=pathlib.Path(path).as_uri())
        while self.message().get("method") != "Page.loadEventFired":
            pass
        return time.monotonic() - began

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def click(self, selector, number=0):
        self.ask(f"document.querySelectorAll({json.dumps(selector)})[{number}].dispatchEvent("
                 "new MouseEvent('click', {bubbles: true, detail: 1}))")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def text(self, selector):
        return self.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def picture(self, path):
        import base64
        image = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def browser_tests(tool, browser, folder):
    page = folder / "kmeans.html"
    arguments = ["-rules", "fusion.rules", "samples/kmeans.ir"]
    tool.run(*arguments, "-emit", "html", "-o", page)
    run = data_of(page.read_text())
    browser.open(page)
    yield "the page loads without an error", not browser.errors
    last = program(run, run["snapshots"][-1])
    yield "it shows the result", shown_program(browser).split() == last.split()
    yield from value_tests(tool, browser, run, arguments)
    yield from moving_tests(browser, run)
    yield from graph_tests(browser)
    for scheme in ("dark", "light"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        wanted = "rgb(20, 23, 29)" if scheme == "dark" else "rgb(255, 255, 255)"
        yield f"{scheme} mode", browser.ask("getComputedStyle(document.body).backgroundColor") == wanted
    browser.call("Emulation.setEmulatedMedia", media="print")
    yield "it is printed without the player", browser.ask("getComputedStyle(document.getElementById('player')).display") == "none"
    browser.call("Emulation.setEmulatedMedia", media="")
    yield "no error came up", not browser.errors


def shown_program(browser):
    return browser.ask("[...document.querySelectorAll('#program .row:not(.removed)')].map((row) => row.textContent).join('\\n')")


def value_tests(tool, browser, run, arguments):
    names = browser.ask("[...document.querySelectorAll('#program .mark.name')].map((mark) => mark.innerText)")
    browser.click("#program .mark.name", names.index("%sum_x"))
    yield "a click fills the panel", browser.text("#chosen") == "%sum_x" and browser.text("#type") == "[k]f64"
    yield "its uses", "%11 = at" in browser.text("#uses")
    explained = tool.run(*arguments, "-explain", "%sum_x").stdout
    rules = re.findall(r"@step: (\S+): ", explained)
    shown = browser.ask("[...document.querySelectorAll('#value .card > .link')].map((card) => card.innerText.split(' ')[1])")
    yield "it came from the rules that -explain names", rules != [] and shown[:len(rules)] == rules
    yield "why rules do not apply", browser.ask("document.querySelectorAll('#value .why .rule').length") > 0
    yield "the graph shows it", browser.ask("document.querySelectorAll('#graph .node.chosen').length") == 1
    browser.click("#left [data-tab=cpp]")
    yield "C++ lines of its source line", browser.ask("document.querySelectorAll('#cpp .row.lit').length") > 0
    browser.click("#cpp .row.linked")
    yield "a click on C++ marks source lines", browser.ask("document.querySelectorAll('#source .row.lit').length") > 0
    browser.click("#left [data-tab=program]")


def moving_tests(browser, run):
    total = len(rewrites(run))
    move = "const s = document.getElementById('slider'); s.value = {}; s.dispatchEvent(new Event('input'))"
    for position in (0, 5, total):
        browser.ask("{ " + move.format(position) + " }")
        snapshot = [s for s in run["snapshots"] if s["at"] <= position][-1]
        yield f"the slider at {position}", shown_program(browser).split() == program(run, snapshot).split()
    browser.ask("document.activeElement.blur()")
    browser.key("Home")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    yield "arrow keys", browser.ask("state.position") == 2 and browser.text("#position") == f"2 of {total} rewrites"
    yield "the step", run["rules"][rewrites(run)[1]["rule"]]["name"] in browser.text("#step")
    plain = [snapshot for snapshot in run["snapshots"] if "label" not in snapshot]
    before, after = next((a, b) for a, b in zip(plain, plain[1:]) if program(run, a) != program(run, b))
    browser.ask(f"moveTo({after['at']})")
    marked = browser.ask("['added', 'removed'].map((kind) => [...document.querySelectorAll(`#program .${kind}`)].map((row) => row.textContent))")
    lines = [program(run, snapshot).split("\n") for snapshot in (before, after)]
    yield "differences are marked", marked != [[], []] and all(line in lines[1] for line in marked[0]) and \
        all(line in lines[0] for line in marked[1])
    browser.ask("moveTo(20)") # the first name that the printer gives goes away: all others get other numbers
    rows = browser.ask("['added', 'removed'].map((kind) => document.querySelectorAll(`#program .${kind}`).length)")
    yield f"names that get other numbers are no differences: {rows}", 0 < sum(rows) < 10
    browser.key(" ")
    yield "space plays", browser.ask("state.timer !== null")
    browser.key(" ")
    yield "space stops", browser.ask("state.timer === null")
    browser.key("/")
    yield "/ searches", browser.ask("document.activeElement.id") == "search"
    browser.call("Input.insertText", text="%nearest")
    yield "search finds", browser.ask("state.found.length") > 0 and "found" in browser.text("#found")
    browser.key("Enter")
    yield "Enter goes to a place", browser.text("#chosen") == "%nearest"
    browser.key("Escape")
    browser.ask("document.activeElement.blur()")
    browser.key("Escape")
    browser.key("End")
    yield "Esc selects nothing", browser.ask("state.chosen === null && document.querySelectorAll('.mark.chosen').length === 0")


def graph_tests(browser):
    nodes = browser.ask("document.querySelectorAll('#graph .node').length")
    yield "the graph has nodes in boxes", nodes > 20 and browser.ask("document.querySelectorAll('#graph .block').length") >= 3
    browser.click("#fold")
    yield "blocks collapse", browser.ask("document.querySelectorAll('#graph .node').length") < nodes / 2
    browser.click("#fold")
    yield "and open", browser.ask("document.querySelectorAll('#graph .node').length") == nodes
    width = browser.ask("document.querySelector('#graph svg').clientWidth")
    browser.click("#closer")
    yield "zoom", browser.ask("document.querySelector('#graph svg').clientWidth") > 1.2 * width
    browser.click("#graph .node:not(.block)", 1)
    yield "a click in the graph", browser.ask("state.chosen !== null && document.querySelectorAll('#program .mark.chosen').length > 0")
    overlap = browser.ask("""(() => {
        const boxes = [...document.querySelectorAll('#graph .node:not(.block) rect')].map((r) => r.getBBox());
        return boxes.some((a, i) => boxes.some((b, j) => i < j && a.x < b.x + b.width && b.x < a.x + a.width &&
                                                        a.y < b.y + b.height && b.y < a.y + a.height));
    })()""")
    yield "no node covers another", not overlap


# Two traversals to fuse, 21 rewrites.
MANY = """func @f{0}(%xs: [n]f64, %ys: [n]f64) -> f64, i64, f64 {{
  %sq = map(%xs) {{ |%x| mul(%x, %x) }}
  %d = map(%sq, %ys) {{ |%x, %y| (%x - %y) * {0}.5 }}
  %sum = reduce(%d, 0.0) {{add}}
  %pos = filter(%xs) {{ |%x| gt(%x, {0}.0) }}
  %s2 = reduce(map(%pos) {{ |%x| %x + 1.0 }}, 0.0) {{add}}
  return %sum, len(%pos), %s2
}}
"""


def large_tests(tool, browser, folder):
    source, page = folder / "many.ir", folder / "many.html"
    source.write_text("\n".join(MANY.format(i) for i in range(500)))
    tool.run("-rules", "fusion.rules", source, "-emit", "html", "-o", page)
    run = data_of(page.read_text())
    yield "10,000 rewrites", len(rewrites(run)) >= 10_000 and page.stat().st_size < 64 << 20
    original = tool.run(source).stdout
    arguments = ["-rules", "fusion.rules", source]
    for what, holds in wrong_snapshots(tool, run, arguments, original):
        yield f"10,000 rewrites: {what}", holds
    if not browser:
        return
    yield "they load", browser.open(page) < TIMEOUT and not browser.errors
    browser.click("#right [data-tab=rewrites]")
    rows = browser.ask("document.querySelectorAll('#rewrites .row').length")
    yield "only rewrites in sight have rows", 0 < rows < 200
    seconds = browser.ask("""(async () => {
        const pane = document.getElementById('rewrites');
        const began = performance.now();
        for (let i = 0; i < 20; i++) {
          pane.scrollTop = i * pane.scrollHeight / 20;
          await new Promise((done) => setTimeout(done));
        }
        return (performance.now() - began) / 1000;
    })()""")
    yield "they scroll", seconds < 10
    browser.ask("moveTo(4000)")
    yield "it says which program is shown", "the nearest snapshot before rewrite 4000" in browser.text("#note")
    yield "no error comes up", not browser.errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build/irrewrite"))
    parser.add_argument("--pictures", help="write pictures of two samples to this folder")
    arguments = parser.parse_args()
    tool = Tool(str(pathlib.Path(arguments.tool).resolve()))
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("there is no chromium: the page is not tried in a browser")
    tally = Tally("explorer")
    browser = Browser(chromium) if chromium else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.pictures:
            take_pictures(tool, browser, folder, pathlib.Path(arguments.pictures))
        tests = [data_tests(tool, folder), statistics_tests(tool, browser, folder)] + ([browser_tests(tool, browser, folder)] if browser else []) + [
            large_tests(tool, browser, folder)]
        for group in tests:
            for what, holds in group:
                tally.expect(holds, what)
    if browser:
        browser.close()
    return tally.end()


def take_pictures(tool, browser, folder, to):
    for sample, position in (("stats", 5), ("kmeans", None)):
        page = folder / f"{sample}.html"
        tool.run("-rules", "fusion.rules", f"samples/{sample}.ir", "-emit", "html", "-o", page)
        browser.open(page)
        if position is not None:
            browser.ask(f"moveTo({position})")
        browser.picture(to / f"{sample}.png")


if __name__ == "__main__":
    sys.exit(main())
