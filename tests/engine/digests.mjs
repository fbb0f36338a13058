// Plays scenarios in the engine for browsers: of each line `{"line": …, "text": …}` of the standard input the only arm.
// Prints the line with the digests of data, timeline and state behind it. Usage: node digests.mjs ENGINE.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const module = await WebAssembly.compile(gunzipSync(readFileSync(process.argv[2])));
const imports = { page: { is_due: () => 0, shown: () => {} } };
WebAssembly.Module.imports(module).forEach(({ module, name }) => (imports[module] ||= {})[name] ||= () => {});
let engine = (await WebAssembly.instantiate(module, imports)).exports;
const words = (start, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, start, length));
const ask = async question => {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const room = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
  try {
    const start = engine.ask(bytes.length);
    const answer = JSON.parse(words(start, engine.text_length()));
    if (answer.error) throw new Error(answer.error);
    return answer;
  } catch (error) {
    const said = error instanceof WebAssembly.RuntimeError ? words(engine.answer(), engine.answer_length()) : "";
    engine = (await WebAssembly.instantiate(module, imports)).exports;
    throw new Error(`${error.message} ${said}`);
  }
};
for (const { line, text } of readFileSync(0, "utf8").trim().split("\n").map(text => JSON.parse(text))) {
  try {
    const { replicates } = await ask({ ask: "load", name: "small", text, sets: [] });
    const { digests } = await ask({ ask: "play", arm: 0, replicate: replicates[0] });
    console.log([line, ...digests].join(" "));
  } catch (error) {
    console.log(`${line} ${error.message.replaceAll("\n", " ")}`);
  }
}
