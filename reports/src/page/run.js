(() => {
// Plays the scenario in this browser. Each worker has an engine of its own; one of them draws. In a file of several
// pages the page around this one has the engine and the address.
const byId = id => document.getElementById(id);
const unpack = (text, letters = atob(text)) => new Uint8Array(letters.length).map((_, at) => letters.charCodeAt(at));
const { name, digest, files } = JSON.parse(byId("program").textContent);
const home = byId("module").textContent ? window : parent;
const WORKER = `
let engine, share, next = 0;
const bytes = (start, length) => new Uint8Array(engine.memory.buffer, start, length);
const words = (start, length) => new TextDecoder().decode(bytes(start, length).slice());
const page = {
  is_due: done => ((share = done), performance.now() > next ? 1 : 0),
  shown: (start, length) => {
    postMessage({ partial: bytes(start, length).slice(), share });
    next = performance.now() + 250;
  },
};
onmessage = async ({ data: { module, question, frames = [] } }) => {
  if (module) {
    // Libraries of the engine ask for functions that it never calls.
    const anything = new Proxy({}, { get: () => () => {} });
    const imports = new Proxy({ page }, { get: (known, name) => known[name] || anything });
    engine = (await WebAssembly.instantiate(module, imports)).exports;
    return;
  }
  const parts = [new TextEncoder().encode(JSON.stringify(question)), ...frames];
  try {
    let at = engine.room(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) at += (bytes(at, part.length).set(part), part.length);
    const start = engine.ask(parts[0].length);
    const [length, all] = [engine.text_length(), engine.answer_length()];
    postMessage({ ...JSON.parse(words(start, length)), frame: bytes(start + length, all - length).slice() });
  } catch (error) {
    postMessage({ error: words(engine.answer(), engine.answer_length()) || "the engine stopped: " + error.message });
  }
};`;
const script = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
let module = null;
const compiled = async () => {
  const packed = new Blob([unpack(home.document.getElementById("module").textContent)]).stream();
  const bytes = new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  byId("engine").dataset.fused = await fuse(bytes);
  return WebAssembly.compile(bytes);
};
// Starts a worker, which knows the scenario with these changes; returns the functions that ask its engine and end it.
const start = async (changes, onPartial) => {
  const worker = new Worker(script);
  worker.postMessage({ module: await (module ||= compiled()) });
  const ask = (question, frames) => new Promise((resolve, reject) => {
    worker.onerror = reject;
    worker.onmessage = ({ data }) => {
      if (data.partial) onPartial(data);
      else if (data.error) reject(new Error(data.error));
      else resolve(data);
    };
    worker.postMessage({ question, frames });
  });
  for (const [path, bytes] of files) await ask({ ask: "hold", path }, [unpack(bytes)]);
  const plan = await ask({ ask: "load", name, text: byId("engine-text").value, sets: changes });
  return { ask, plan, end: () => worker.terminate() };
};

const fields = [...document.querySelectorAll("#engine-offers [data-path]")];
const sets = () => fields.filter(field => field.value !== field.defaultValue)
  .map(({ value, dataset }) => [dataset.path, "quoted" in dataset ? JSON.stringify(value) : value]);
const say = words => { byId("engine-state").textContent = words; };
// What is played: a number that tells it from what was played before, its workers, and the frames of its runs.
let [turn, workers, drawing, frames] = [0, [], null, []];
const stop = words => {
  turn += 1;
  workers.splice(0).forEach(worker => worker.end());
  [byId("engine-stop").hidden, byId("engine-play").disabled] = [true, false];
  say(words);
};
// What is no error of ours is one between the scripts and the engine.
const fail = ({ constructor, message }) =>
  stop(constructor === Error ? message : `The engine is of another build, or the browser too old for it: ${message}`);
// Draws what there is. Of runs that have not ended only curves and figures are shown.
const draw = async isWhole => {
  const question = { ask: "draw", style: byId("engine-style").value };
  const answer = await drawing.ask(question, frames.filter(frame => frame));
  const { data, drawings, ...results } = answer.parts;
  for (const [id, part] of Object.entries({ drawings, ...(isWhole && results) })) byId(id).innerHTML = part;
  window.takeNumbers(data);
  return answer.digest;
};

const play = async () => {
  stop("The engine starts.");
  const [mine, began, changes] = [turn, performance.now(), sets()];
  const seconds = () => (performance.now() - began) / 1000;
  [byId("engine-stop").hidden, byId("engine-play").disabled] = [false, true];
  home.location.replace(`#${new URLSearchParams(home === window ? changes : [["scenario", name], ...changes])}`);
  drawing?.end();
  drawing = await start(changes);
  const { arms, replicates } = drawing.plan;
  const jobs = replicates.flatMap(replicate => arms.map((_, arm) => ({ arm, replicate })));
  frames = jobs.map(() => null);
  const shares = jobs.map(() => 0);
  let [done, next] = [0, 0];
  const work = async () => {
    let job = next;
    const worker = await start(changes, ({ partial, share }) => { [frames[job], shares[job]] = [partial, share]; });
    workers.push(worker);
    for (; next < jobs.length && mine === turn; done += 1) {
      [job, next] = [next, next + 1];
      [frames[job], shares[job]] = [(await worker.ask({ ask: "play", ...jobs[job] })).frame, 1];
    }
  };
  const playing = Promise.all(jobs.slice(0, navigator.hardwareConcurrency || 2).map(work));
  for (let ended = false; !ended && mine === turn;) {
    ended = await Promise.race([playing.then(() => true), new Promise(resolve => setTimeout(resolve, 300))]);
    const most = Number(byId("engine-limit").value);
    if (seconds() > most) stop(`Stopped after ${most} s with ${done} of ${jobs.length} runs: raise the limit to go on.`);
    if (ended || mine !== turn) break;
    // What the runs have done so far is the pilot of the rest.
    const left = seconds() * (jobs.length / shares.reduce((sum, share) => sum + share, 0) - 1);
    const warning = seconds() + left > most ? `, more than the limit of ${most} s` : "";
    const rest = Number.isFinite(left) ? `; about ${left.toFixed(0)} s to go${warning}` : "";
    say(`${done} of ${jobs.length} runs, ${seconds().toFixed(0)} s${rest}.`);
    if (frames.some(frame => frame)) await draw(false);
  }
  if (mine !== turn) return;
  const same = await draw(true) === digest ? "The digest of all runs is as published."
    : "The digest is not the published one; pale lines of the chart are as published.";
  stop(`${jobs.length} runs in ${seconds().toFixed(1)} s. ${same}`);
};
const on = (id, event, act) => byId(id).addEventListener(event, act);
on("engine-form", "submit", event => {
  event.preventDefault();
  play().catch(fail);
});
on("engine-form", "input", ({ target }) => {
  const slider = target.type === "range" ? target : target.previousElementSibling;
  if (slider?.type !== "range") return;
  const [{ before, after }, field, number] = [slider.dataset, slider.nextElementSibling, Math.exp(slider.value)];
  const digits = "whole" in slider.dataset ? Math.round(number) : Number(number.toPrecision(3));
  if (target === slider) field.value = before + digits + after;
  const typed = Math.log(field.value.slice(before.length, -after.length || undefined));
  if (target !== slider && field.value.startsWith(before) && Number.isFinite(typed)) slider.value = typed;
});
on("engine-stop", "click", () => stop("Stopped."));
on("engine-style", "change", () => { if (drawing && !byId("engine-play").disabled) draw(true).catch(fail); });
on("engine-save", "click", () => start(sets()).then(({ plan, end }) => {
  const href = URL.createObjectURL(new Blob([plan.text]));
  Object.assign(document.createElement("a"), { href, download: `${name}.ron` }).click();
  end();
}).catch(fail));
const given = new URLSearchParams(home.location.hash.slice(1));
const changed = fields.filter(({ dataset }) => given.has(dataset.path));
for (const field of changed) {
  const value = given.get(field.dataset.path);
  field.value = "quoted" in field.dataset ? JSON.parse(value) : value;
}
byId("engine").hidden = false;
if (changed.length > 0) say("The address has other settings than the published ones: Run plays them.");
})();
