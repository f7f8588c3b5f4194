// Checks every .cypher file with Neo4j's language support and our schema: syntax, labels, relationship types, parameters.
// Property keys are checked by tests/test_cypher_schema.py, which knows rows of parameters from nodes.
//   npm ci && node lint.mjs        (from the project's root: make cypher-lint)
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { lintCypherQuery } = require("@neo4j-cypher/language-support");
const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "areorag", "cypher");
const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));

function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return files(path);
    return name.endsWith(".cypher") ? [path] : [];
  });
}

let count = 0;
let problems = 0;
for (const path of files(root)) {
  const text = readFileSync(path, "utf8");
  const parameters = Object.fromEntries([...text.matchAll(/\$(\w+)/g)].map((match) => [match[1], null]));
  const { diagnostics } = lintCypherQuery(text, {
    labels: Object.keys(schema.labels),
    relationshipTypes: Object.keys(schema.relationships),
    parameters,
    defaultLanguage: "CYPHER 5",
  });
  count += 1;
  for (const found of diagnostics) {
    if (found.message.includes("cartesian product")) continue; // two look-ups by unique id, on purpose
    problems += 1;
    const line = found.range ? found.range.start.line + 1 : "?";
    console.log(`${relative(root, path)}:${line}: ${found.message.split("\n")[0]}`);
  }
}
console.log(`${count} files, ${problems} problems`);
process.exit(problems ? 1 : 0);
