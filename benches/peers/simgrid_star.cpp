// The star round of `../../sim/kernel/benches/star_round.rs` in SimGrid (S4U actors, network model CM02 without cross traffic and TCP
// limits: max-min fair sharing). The server sends 2 000 bytes to every client at once, each sleeps for its computing time and replies
// with 500 bytes; the next round starts with the last reply. Prints: clients, rounds, simulated seconds, processor seconds.
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static uint64_t state = 42;

static uint64_t draw() { // SplitMix64
  uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

static double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Client {
  double rate, latency, compute;
};

static void client(int id, double compute, int rounds) {
  auto* in = sg4::Mailbox::by_name("c" + std::to_string(id));
  auto* out = sg4::Mailbox::by_name("server");
  in->set_receiver(sg4::Actor::self()); // transfers begin when they are sent, not when they are asked for
  for (int round = 0; round < rounds; ++round) {
    in->get<int>();
    sg4::this_actor::sleep_for(compute);
    static int answer = 0;
    out->put_init(&answer, 500)->detach();
  }
}

static void server(int clients, int rounds) {
  auto* in = sg4::Mailbox::by_name("server");
  in->set_receiver(sg4::Actor::self());
  static int question = 0;
  std::vector<sg4::Mailbox*> boxes;
  for (int id = 0; id < clients; ++id)
    boxes.push_back(sg4::Mailbox::by_name("c" + std::to_string(id)));
  for (int round = 0; round < rounds; ++round) {
    for (auto* box : boxes)
      box->put_init(&question, 2000)->detach();
    for (int answers = 0; answers < clients; ++answers)
      in->get<int>();
  }
}

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  const int clients = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int rounds  = argc > 2 ? std::atoi(argv[2]) : 5;
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("contexts/stack-size:64");
  std::vector<Client> links(clients);
  for (auto& link : links) {
    link.rate    = 1e6 + static_cast<double>(draw() % 99000001);
    link.latency = (1e7 + static_cast<double>(draw() % 90000001)) * 1e-9;
  }
  for (auto& link : links)
    link.compute = (1e8 + static_cast<double>(draw() % 900000001)) * 1e-9;

  auto* zone = sg4::create_star_zone("star");
  auto* host = zone->create_host("server", 1e9)->seal();
  auto* up   = zone->create_link("server-up", 1e9 / 8)->set_latency(0.0)->seal();
  auto* down = zone->create_link("server-down", 1e9 / 8)->set_latency(0.0)->seal();
  zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg4::LinkInRoute(up)}, false);
  zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(down)}, false);
  std::vector<sg4::Host*> hosts;
  for (int id = 0; id < clients; ++id) {
    const std::string name = "c" + std::to_string(id);
    auto* own  = zone->create_host(name, 1e9)->seal();
    auto* out  = zone->create_link(name + "-up", links[id].rate / 8)->set_latency(links[id].latency)->seal();
    auto* in   = zone->create_link(name + "-down", links[id].rate / 8)->set_latency(links[id].latency)->seal();
    zone->add_route(own->get_netpoint(), nullptr, nullptr, nullptr, {sg4::LinkInRoute(out)}, false);
    zone->add_route(nullptr, own->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(in)}, false);
    hosts.push_back(own);
  }
  zone->seal();
  sg4::Actor::create("server", host, server, clients, rounds);
  for (int id = 0; id < clients; ++id)
    sg4::Actor::create("client", hosts[id], client, id, links[id].compute, rounds);
  const double before = processor_seconds();
  engine.run();
  std::printf("%d %d %.9f %.6f\n", clients, rounds, sg4::Engine::get_clock(), processor_seconds() - before);
  return 0;
}
