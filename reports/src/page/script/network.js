// The network of a round at an instant: nodes and what they do, links and how many transfers are on them, transfers as
// dots whose place on their way is the share of their time that has passed.
const RIM = 34;
const MOST_SATELLITES = 30;
const RING = 240;
const TAU = 2 * Math.PI;

// Positions of many nodes around a middle: on one ring, on several where there are more than RING.
const around = (count, [x, y], radius) => {
  const rings = Math.max(1, Math.ceil(count / RING));
  return Array.from({ length: count }, (_, index) => {
    const own = Math.floor(index / RING);
    const onRing = own < rings - 1 ? RING : count - RING * (rings - 1);
    const angle = (index % RING) / onRing * TAU - TAU / 4;
    const far = radius * (1 - own * 0.6 / rings);
    return [x + far * Math.cos(angle), y + far * Math.sin(angle)];
  });
};
// Nodes by their numbers, the server apart.
const peopleOf = run => run.nodes.map((name, node) => ({ name, node })).filter(({ name }) => name && name !== "server")
  .sort((a, b) => numberOf(a.name) - numberOf(b.name) || a.name.localeCompare(b.name));
const starPlaces = (run, width) => {
  const height = Math.min(width, 460);
  const middle = [width / 2, height / 2];
  const people = peopleOf(run);
  const radius = height / 2 - RIM;
  const places = new Map(around(people.length, middle, radius).map((place, index) => [people[index].node, place]));
  const server = run.nodes.indexOf("server");
  if (server >= 0) places.set(server, middle);
  const size = Math.max(1.5, Math.min(6, TAU / 2 * radius / Math.min(RING, people.length) * 0.7));
  return { height, places, sites: [], links: [], size };
};
const sitePlaces = (run, width) => {
  const { sites, at } = run.network;
  const [west, east, south, north] = [["x", Math.min], ["x", Math.max], ["y", Math.min], ["y", Math.max]]
    .map(([key, which]) => which(...sites.map(site => site[key])));
  const room = width - 2 * RIM;
  const scale = Math.min(room / (east - west || 1e-9), (460 - 2 * RIM) / (north - south || 1e-9), 1e9);
  const height = Math.max(2 * RIM + 80, Math.min(460, scale * (north - south) + 2 * RIM));
  const place = ({ x, y }) =>
    [width / 2 + scale * (x - (west + east) / 2), height / 2 - scale * (y - (south + north) / 2)];
  const middles = sites.map(place);
  const places = new Map();
  const people = peopleOf(run);
  sites.forEach((site, index) => {
    const own = people.filter(({ node }) => at[node] === index);
    const satellites = !run.agents && own.length > 0 && own.length <= MOST_SATELLITES && sites.length <= 80;
    const positions = own.length === 1 ? [middles[index]] : around(own.length, middles[index], 15);
    own.forEach(({ node }, order) => places.set(node, satellites ? positions[order] : middles[index]));
  });
  const server = run.nodes.indexOf("server");
  if (server >= 0 && at[server] !== null) places.set(server, middles[at[server]]);
  return { height, places, sites: sites.map((site, index) => ({ ...site, place: middles[index] })), size: 3.2 };
};
const isGraph = run => run.network !== null && typeof run.network === "object";

// The sites that a transfer passes, in its direction.
const wayOf = (run, row, ways) => {
  const { at } = run.network;
  if (row.part === "m") return [at[row.node], at[row.peer]].filter(site => site !== null);
  const own = ways.get(at[row.node]);
  return own ? own[row.part === "d" ? 0 : 1] : [];
};
// A transfer as it is drawn: the points of its way, and the links that it takes, each as a key and a direction.
const legsOf = (run, layout, row, ways) => {
  const ends = row.part === "d" ? [row.peer, row.node] : [row.node, row.peer];
  const [from, to] = ends.map(node => layout.places.get(node));
  if (!from || !to) return null;
  if (!isGraph(run)) {
    return { points: [from, to], links: [row.part === "m" ? step(row.node, row.peer) : { key: `${row.node}`, back: 0 }] };
  }
  const sites = wayOf(run, row, ways);
  const links = sites.slice(1).map((site, index) => step(sites[index], site));
  return { points: [from, ...sites.map(site => layout.sites[site].place), to], links };
};
const pairKey = (one, other) => `${Math.min(one, other)}-${Math.max(one, other)}`;
const step = (from, to) => ({ key: pairKey(from, to), back: from > to ? 1 : 0 });

// Everything of a round that does not change with time.
const networkOf = (run, round, width) => {
  const layout = isGraph(run) ? sitePlaces(run, width) : starPlaces(run, width);
  const ways = new Map(isGraph(run) ? run.network.ways.map(([site, down, up]) => [site, [down, up]]) : []);
  const drawn = row => ({ row, ...legsOf(run, layout, row, ways) });
  const transfers = round.rows().filter(row => isTransfer(row.part)).map(drawn).filter(({ points }) => points);
  const lines = new Map();
  const line = (key, from, to, capacity) => lines.set(key, { from, to, capacity });
  if (isGraph(run)) {
    run.network.links.forEach(([from, to, capacity]) =>
      line(pairKey(from, to), layout.sites[from].place, layout.sites[to].place, capacity));
  } else {
    transfers.forEach(({ points, links }) => line(links[0].key, points[0], points[1], null));
  }
  const active = new Set(round.rows().flatMap(row => [row.node, row.part === "m" ? row.peer : row.node]));
  const most = mostOnALink(transfers);
  const [nodes, names] = [nodesOf(run, round), namesOf(layout)];
  return { run, round, width, ...layout, transfers, lines, active, most, nodes, names };
};
// Names of sites with room for them: right of the site, or else left of it, where no other name or site is.
const namesOf = ({ sites }) => {
  const taken = sites.map(({ place: [x, y] }) => [x - 6, y - 6, x + 6, y + 6]);
  const isFree = ([left, top, right, bottom]) =>
    taken.every(own => own[2] <= left || own[0] >= right || own[3] <= top || own[1] >= bottom);
  const names = [];
  const middle = sites.reduce((sum, { place }) => sum + place[0], 0) / sites.length;
  for (const { place: [x, y], name } of sites) {
    const width = widthOfText(name, SMALL);
    // Outwards, where fewer links are.
    const sides = x < middle ? [x - 8 - width, x + 8] : [x + 8, x - 8 - width];
    const boxes = sides.flatMap(left => [y + 4, y - 5, y + 14].map(base => [left, base - 10, left + width, base + 2]));
    const box = boxes.find(isFree);
    if (!box) continue;
    taken.push(box);
    names.push([name, box[0], box[3] - 2]);
  }
  return names;
};
// The most transfers that are on one link at once.
const mostOnALink = transfers => {
  const changes = new Map();
  for (const { row, links } of transfers) {
    for (const { key } of links) {
      if (!changes.has(key)) changes.set(key, []);
      changes.get(key).push([row.start, 1], [row.end, -1]);
    }
  }
  let most = 1;
  for (const own of changes.values()) {
    let now = 0;
    for (const [, change] of own.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
      now += change;
      most = Math.max(most, now);
    }
  }
  return most;
};

// What is under way at an instant.
const momentOf = (network, time) => {
  const isOn = ({ row }) => row.start <= time && time < row.end;
  const flying = network.transfers.filter(isOn);
  const loads = new Map();
  for (const { row, links } of flying) {
    for (const { key, back } of links) {
      const load = loads.get(key) || { count: 0, rates: [0, 0] };
      load.count++;
      load.rates[back] += row.bits / (row.end - row.start);
      loads.set(key, load);
    }
  }
  const doing = new Map(network.nodes.map(({ node, bars }) => {
    const own = bars.filter(bar => bar.start <= time && time < bar.end).map(bar => bar.part);
    return [node, ["c", "u", "d", "r", "w"].find(part => own.includes(part)) || null];
  }));
  return { time, flying, loads, doing };
};
const alongWay = (points, share) => {
  const lengths = points.slice(1).map(([x, y], index) => Math.hypot(x - points[index][0], y - points[index][1]));
  let rest = share * lengths.reduce((sum, length) => sum + length, 0);
  const leg = lengths.findIndex(length => { if (rest <= length) return true; rest -= length; return false; });
  if (leg < 0) return points[points.length - 1];
  const [[x0, y0], [x1, y1]] = [points[leg], points[leg + 1]];
  const part = lengths[leg] > 0 ? rest / lengths[leg] : 0;
  return [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
};

const circle = (context, [x, y], radius, fill, edge) => {
  context.beginPath();
  context.arc(x, y, radius, 0, TAU);
  context.fillStyle = fill;
  context.fill();
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = 1.2;
  context.stroke();
};
const square = (context, [x, y], half, fill, edge) => {
  context.fillStyle = fill;
  context.fillRect(x - half, y - half, 2 * half, 2 * half);
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = 1.2;
  context.strokeRect(x - half, y - half, 2 * half, 2 * half);
};
const drawLinks = (context, network, moment, colors) => {
  for (const [key, { from, to }] of network.lines) {
    const load = moment.loads.get(key);
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.strokeStyle = load ? colors.soft : colors.grid;
    context.lineWidth = load ? 1 + 6 * Math.sqrt(load.count / network.most) * Math.min(1, (network.most - 1) / 4) : 1;
    context.stroke();
  }
};
const drawNodes = (context, network, moment, colors) => {
  for (const { place, server, clients } of network.sites) {
    if (server) continue;
    circle(context, place, clients > 0 ? 5 : 3.5, clients > 0 ? colors.soft : colors.paper, colors.soft);
  }
  context.fillStyle = colors.soft;
  network.names.forEach(([name, x, y]) => context.fillText(name, x, y));
  for (const [node, place] of network.places) {
    if (network.run.nodes[node] === "server") continue;
    const part = moment.doing.get(node);
    const fill = part && part !== "w" ? PARTS[part].color : network.active.has(node) ? colors.rule : colors.grid;
    circle(context, place, network.size, fill, null);
  }
  const server = network.places.get(network.run.nodes.indexOf("server"));
  if (server) square(context, server, 8, colors.ink, colors.paper);
};
const drawTransfers = (context, network, { time, flying }, colors) => {
  const size = flying.length > 300 ? 2.2 : flying.length > 80 ? 3 : 4.2;
  for (const { row, points } of flying) {
    const place = alongWay(points, (time - row.start) / (row.end - row.start));
    const [draw, part] = row.part === "d" ? [square, "d"] : [circle, "u"];
    draw(context, place, row.part === "d" ? 0.88 * size : size, PARTS[part].color, colors.paper);
  }
  // What has just been lost leaves a cross where it was going.
  const fresh = ({ row }) => isLost(row.fate) && row.end <= time && time < row.end + 0.05 * network.round.length;
  context.strokeStyle = colors.ink;
  context.lineWidth = 2;
  for (const { points } of network.transfers.filter(fresh)) {
    const [x, y] = alongWay(points, 0.85);
    context.beginPath();
    [[-5, -5, 5, 5], [-5, 5, 5, -5]].forEach(([x0, y0, x1, y1]) => {
      context.moveTo(x + x0, y + y0);
      context.lineTo(x + x1, y + y1);
    });
    context.stroke();
  }
};
const drawNetwork = (canvas, network, moment, colors) => {
  const ratio = devicePixelRatio || 1;
  const sizes = [network.width, network.height].map(size => Math.round(size * ratio));
  if (canvas.width !== sizes[0] || canvas.height !== sizes[1]) {
    [canvas.width, canvas.height] = sizes;
    [canvas.style.width, canvas.style.height] = [`${network.width}px`, `${network.height}px`];
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, network.width, network.height);
  context.font = `${SMALL}px ${FAMILY}`;
  drawLinks(context, network, moment, colors);
  drawNodes(context, network, moment, colors);
  drawTransfers(context, network, moment, colors);
};

// The instant in words.
const momentWords = (network, { flying, loads, doing }) => {
  const count = part => flying.filter(({ row }) => row.part === part).length;
  const computing = [...doing.values()].filter(part => part === "c").length;
  const transfers = network.run.agents
    ? counted(count("m"), "message", "messages")
    : `${counted(count("d"), "download", "downloads")}, ${counted(count("u"), "upload", "uploads")}`;
  const rate = flying.reduce((sum, { row }) => sum + row.bits / (row.end - row.start), 0);
  const [size, name] = unitOf("bits", rate);
  const words = `${transfers} under way, ${counted(computing, "node computes", "nodes compute")}; `
    + `${digits(rate / size, 3)} ${name}/s in all`;
  const busiest = [...loads].filter(([key]) => network.lines.get(key) && network.lines.get(key).capacity)
    .map(([key, load]) => [key, Math.max(...load.rates) / network.lines.get(key).capacity])
    .sort((a, b) => b[1] - a[1])[0];
  if (!busiest) return words;
  const ends = busiest[0].split("-").map(site => network.run.network.sites[site].name).join("–");
  return `${words}; busiest link ${ends}: ${digits(100 * busiest[1], 2)} % of its capacity in the busier direction`;
};
