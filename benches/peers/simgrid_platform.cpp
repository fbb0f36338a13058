// Rounds of one server and its clients on any platform, in SimGrid (S4U actors, network model CM02 without cross traffic and TCP limits,
// full updates of the rates): the server sends to everybody at once, each client computes and answers, and the next round begins with
// the last answer. Reads a platform as `platforms.py` writes it, prints the simulated time at the end of every round.
//
//     P CLIENTS ROUNDS BYTES_DOWN BYTES_UP
//     L BYTES_PER_SECOND LATENCY        one direction of a link; links are numbered from 0
//     D CLIENT WAIT LINK...             the way from the server; WAIT seconds pass before the message is on it
//     U CLIENT WAIT LINK...             the way to the server
//     C CLIENT SECONDS                  computing
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static int clients, rounds;
static uint64_t down, up;
static std::vector<double> compute, wait_down, wait_up;
static sg4::Host* server_host;

static std::string box(int id) { return "c" + std::to_string(id); }

static void ask(int id) {
  static int question = 0;
  sg4::this_actor::sleep_for(wait_down[id]);
  sg4::Mailbox::by_name(box(id))->put_init(&question, down)->detach();
}

static void client(int id) {
  static int answer = 0;
  auto* in = sg4::Mailbox::by_name(box(id));
  in->set_receiver(sg4::Actor::self()); // transfers begin when they are sent, not when they are asked for
  for (int round = 0; round < rounds; ++round) {
    in->get<int>();
    sg4::this_actor::sleep_for(compute[id] + wait_up[id]);
    sg4::Mailbox::by_name("server")->put_init(&answer, up)->detach();
  }
}

static void server() {
  auto* in = sg4::Mailbox::by_name("server");
  in->set_receiver(sg4::Actor::self());
  for (int round = 0; round < rounds; ++round) {
    for (int id = 0; id < clients; ++id) {
      if (wait_down[id] > 0)
        sg4::Actor::create("ask", server_host, ask, id);
      else
        ask(id);
    }
    for (int id = 0; id < clients; ++id)
      in->get<int>();
    std::printf("%.12f\n", sg4::Engine::get_clock());
  }
}

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  for (const char* setting : {"network/model:CM02", "network/optim:Full", "network/maxmin-selective-update:no", "network/crosstraffic:0",
                              "network/TCP-gamma:0", "network/weight-S:0", "surf/precision:1e-12", "maxmin/precision:1e-9"})
    sg4::Engine::set_config(setting);
  auto* zone = sg4::create_full_zone("platform");
  server_host = zone->create_host("server", 1e9)->seal();
  std::vector<sg4::Host*> hosts;
  std::vector<sg4::Link*> links;
  std::ifstream file(argv[1]);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    char kind;
    words >> kind;
    if (kind == 'P') {
      words >> clients >> rounds >> down >> up;
      for (auto* of : {&compute, &wait_down, &wait_up})
        of->resize(clients);
      for (int id = 0; id < clients; ++id)
        hosts.push_back(zone->create_host(box(id), 1e9)->seal());
    } else if (kind == 'L') {
      double rate, latency;
      words >> rate >> latency;
      links.push_back(zone->create_link("l" + std::to_string(links.size()), rate)->set_latency(latency)->seal());
    } else {
      int id, link;
      double seconds;
      words >> id >> seconds;
      (kind == 'C' ? compute : kind == 'D' ? wait_down : wait_up)[id] = seconds;
      std::vector<sg4::LinkInRoute> way;
      while (words >> link)
        way.emplace_back(links[link]);
      auto* from = kind == 'D' ? server_host : hosts[id];
      auto* to   = kind == 'D' ? hosts[id] : server_host;
      if (kind != 'C')
        zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, way, false);
    }
  }
  zone->seal();
  sg4::Actor::create("server", server_host, server);
  for (int id = 0; id < clients; ++id)
    sg4::Actor::create("client", hosts[id], client, id);
  engine.run();
  return 0;
}
