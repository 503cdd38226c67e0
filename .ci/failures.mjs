// Reads the output of go test -json. Prints what did not build and the output of each
// failed test, then the names of the failed tests: people read the end of a log.
import { readFileSync } from "node:fs";

const output = new Map(); // by package and test
const failed = [];
for (const line of readFileSync(process.argv[2], "utf8").split("\n")) {
  let event;
  try {
    event = JSON.parse(line);
  } catch {
    if (line) console.log(line);
    continue;
  }
  const name = `${event.Package ?? event.ImportPath} ${event.Test ?? ""}`.trim();
  if (event.Action === "output" || event.Action === "build-output") {
    output.set(name, (output.get(name) ?? "") + event.Output);
  } else if (event.Action === "fail" || event.Action === "build-fail") {
    failed.push({ name, test: event.Test });
  } else if (event.Action === "pass" || event.Action === "skip") {
    output.delete(name);
  }
}
// A package repeats the output of its tests. Only what it printed outside of them is new.
for (const { name } of failed) {
  const text = (output.get(name) ?? "").split("\n").filter((l) => !/^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (PASS|SKIP))/.test(l));
  console.log(`\n--- ${name}\n${text.join("\n").trimEnd()}`);
}
console.log(`\nfailed:\n${failed.map(({ name }) => "  " + name).join("\n")}`);
