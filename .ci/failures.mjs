// Prints of a run of go test -json what did not build and what each failed test
// said, and last the names of the failed tests: the end of a log is what is read.
import { readFileSync } from "node:fs";

const said = new Map(); // by package and test
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
    said.set(name, (said.get(name) ?? "") + event.Output);
  } else if (event.Action === "fail" || event.Action === "build-fail") {
    failed.push({ name, test: event.Test });
  } else if (event.Action === "pass" || event.Action === "skip") {
    said.delete(name);
  }
}
// A package says what its tests say only where it ended outside of them.
for (const { name } of failed) {
  const text = (said.get(name) ?? "").split("\n").filter((l) => !/^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (PASS|SKIP))/.test(l));
  console.log(`\n--- ${name}\n${text.join("\n").trimEnd()}`);
}
console.log(`\nfailed:\n${failed.map(({ name }) => "  " + name).join("\n")}`);
