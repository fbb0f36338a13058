"use strict";
// Replaces the calls of the engine's emulated multiply-add by the browser's instruction, and counts them; null: there is
// no such instruction. It is a relaxed one, which may also round twice: it has to round once in a module of this
// instruction alone. Digests are the same. Tests in Node use this file, too.
const fuse = async bytes => {
  const alone = atob("AGFzbQEAAAABCAFgA3x8fAF8AwIBAAcFAQFmAAAKFgEUACAA/RQgAf0UIAL9FP2HAv0hAAs=");
  const module = Uint8Array.from(alone, letter => letter.charCodeAt(0));
  const probe = await WebAssembly.instantiate(module).catch(() => null);
  if (probe?.instance.exports.f(1 + 2 ** -30, 1 - 2 ** -30, -1) !== -(2 ** -60)) return null;
  const anything = new Proxy({}, { get: () => () => {} });
  const { instance } = await WebAssembly.instantiate(bytes, new Proxy({}, { get: () => anything }));
  // The name of an exported function is its index. Calls have it in five bytes, of seven bits each.
  const index = Number(instance.exports.multiply_add.name);
  const call = [0x10, ...[0, 7, 14, 21].map(shift => (index >> shift) & 127 | 128), 0];
  let calls = 0;
  for (let at = bytes.indexOf(0x10); at >= 0; at = bytes.indexOf(0x10, at + 1)) {
    if (!call.every((byte, next) => bytes[at + next] === byte)) continue;
    bytes.set([0xfd, 0x87, 2, 1, 1, 1], at);
    calls += 1;
  }
  return calls;
};
