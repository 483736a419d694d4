// The TypeScript SDK's client, version 1 or 2: a connection as JSON comes in, what the tools
// answered goes out. Arguments: the folder that `make clients` installed into, the package, the
// connection, the search, and for version 2 how the protocol's era is chosen (legacy, auto or
// modern).
import { createRequire } from "node:module";

const [folder, name, given, asked, era] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const connection = JSON.parse(given);
const parts =
  name === "@modelcontextprotocol/sdk"
    ? { client: "/client/index.js", stdio: "/client/stdio.js", http: "/client/streamableHttp.js" }
    : { client: "", stdio: "/stdio", http: "" };
const { Client } = require(name + parts.client);
const { StdioClientTransport } = require(name + parts.stdio);
const { StreamableHTTPClientTransport } = require(name + parts.http);

const options = era ? { versionNegotiation: { mode: era } } : {};
const client = new Client({ name: "test", version: "1" }, options);
await client.connect(
  connection.url
    ? new StreamableHTTPClientTransport(new URL(connection.url))
    : new StdioClientTransport(connection),
);
const { tools } = await client.listTools();
const search = { name: "search_blog", arguments: JSON.parse(asked) };
const best = (await client.callTool(search)).structuredContent.results[0];
const hit = { source: best.source, chunk_index: best.chunk_index };
const read = await client.callTool({ name: "read_chunk", arguments: hit });
const report = { tools: tools.map((tool) => tool.name), hit, text: read.content[0].text };
const protocol = client.getNegotiatedProtocolVersion?.();
process.stdout.write(JSON.stringify(protocol ? { ...report, protocol } : report));
await client.close();
