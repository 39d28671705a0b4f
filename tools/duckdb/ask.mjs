// Asks DuckDB questions in SQL, one an argument, and prints the rows of each
// answer as a line of JSON.
import { DuckDBInstance } from "@duckdb/node-api";

const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
for (const question of process.argv.slice(2)) {
  const answer = await connection.runAndReadAll(question);
  console.log(JSON.stringify(answer.getRowsJson()));
}
