// Plays scenarios in the engine for browsers: of each line `{"line": …, "text": …}` of the standard input the only arm.
// Prints the line with the digests of data, timeline and state behind it. Usage: node digests.mjs ENGINE [FOLDER]; the
// scenarios find the files of the folder. With FUSED=1 it multiplies and adds by Node's instruction, as pages do, where there is one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { gunzipSync } from "node:zlib";

const bytes = new Uint8Array(gunzipSync(readFileSync(process.argv[2])));
if (process.env.FUSED) {
  // Node 20 has the instruction behind this flag; later ones do not know the flag.
  if (process.version.startsWith("v20.")) setFlagsFromString("--experimental-wasm-relaxed-simd");
  const script = readFileSync(new URL("../../reports/src/page/fuse.js", import.meta.url), "utf8");
  const calls = await new Function(`${script} return fuse;`)()(bytes);
  if (calls === null) console.error("Node has no fused multiply-add here: it is emulated");
  if (calls === 0) throw new Error("no call was replaced by an instruction");
}
const module = await WebAssembly.compile(bytes);
const imports = { page: { is_due: () => 0, shown: () => {} } };
WebAssembly.Module.imports(module).forEach(({ module, name }) => (imports[module] ||= {})[name] ||= () => {});
const held = process.argv[3] ? readdirSync(process.argv[3]).filter(name => !/^world-.*ron$/.test(name)) : [];
let engine = null;
const words = (start, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, start, length));
const begin = async () => {
  engine = (await WebAssembly.instantiate(module, imports)).exports;
  for (const path of held) await ask({ ask: "hold", path }, readFileSync(join(process.argv[3], path)));
};
const ask = async (question, file = Buffer.alloc(0)) => {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const room = engine.room(bytes.length + file.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length + file.length).set(Buffer.concat([bytes, file]));
  try {
    const start = engine.ask(bytes.length);
    const answer = JSON.parse(words(start, engine.text_length()));
    if (answer.error) throw new Error(answer.error);
    return answer;
  } catch (error) {
    const said = error instanceof WebAssembly.RuntimeError ? words(engine.answer(), engine.answer_length()) : "";
    await begin();
    throw new Error(`${error.message} ${said}`);
  }
};
await begin();
for (const { line, text } of readFileSync(0, "utf8").trim().split("\n").map(text => JSON.parse(text))) {
  try {
    const { replicates } = await ask({ ask: "load", name: "small", text, sets: [] });
    const { digests } = await ask({ ask: "play", arm: 0, replicate: replicates[0] });
    console.log([line, ...digests].join(" "));
  } catch (error) {
    console.log(`${line} ${error.message.replaceAll("\n", " ")}`);
  }
}
