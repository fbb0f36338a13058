// The star round of `../../sim/kernel/benches/star_round.rs` in ns-3: packets on point-to-point links, one hub, no IP stack (with UDP and
// IP it is slower). The server sends two packets of 1 460 and 540 bytes to every client at once, each computes and replies with one of
// 500 bytes; the next round starts with the last reply. Prints: clients, rounds, simulated seconds, processor seconds.
#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

using namespace ns3;

static uint64_t state = 42;

static uint64_t draw() { // SplitMix64
  uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

static double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

static const uint16_t PPP_IPV4 = 0x0800; // the protocol number that PPP carries
static uint32_t clients, rounds, answers;
static double ended;
static std::vector<Time> compute;
static std::vector<uint32_t> received;
static Ptr<NetDevice> server_device;
static std::vector<Ptr<NetDevice>> hub_devices, client_devices;

static void send(Ptr<NetDevice> device, uint32_t id, uint32_t bytes) {
  uint8_t buffer[1460] = {0};
  std::memcpy(buffer, &id, sizeof id);
  device->Send(Create<Packet>(buffer, bytes), device->GetBroadcast(), PPP_IPV4);
}

static uint32_t owner(Ptr<const Packet> packet) {
  uint32_t id;
  packet->CopyData(reinterpret_cast<uint8_t*>(&id), sizeof id);
  return id;
}

static void open_round() {
  for (uint32_t id = 0; id < clients; ++id) {
    send(server_device, id, 1460);
    send(server_device, id, 540);
  }
}

static bool hub_from_server(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address& to) {
  return hub_devices[owner(packet)]->Send(packet->Copy(), to, PPP_IPV4);
}

static Ptr<NetDevice> hub_to_server;
static bool hub_from_client(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address& to) {
  return hub_to_server->Send(packet->Copy(), to, PPP_IPV4);
}

static void reply(uint32_t id) { send(client_devices[id], id, 500); }

static bool at_client(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
  const uint32_t id = owner(packet);
  if (++received[id] == 2) {
    received[id] = 0;
    Simulator::Schedule(compute[id], &reply, id);
  }
  return true;
}

static bool at_server(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&) {
  if (++answers == clients) {
    answers = 0;
    ended   = Simulator::Now().GetSeconds();
    if (--rounds > 0)
      open_round();
  }
  return true;
}

int main(int argc, char** argv) {
  clients = argc > 1 ? std::atoi(argv[1]) : 1000;
  rounds  = argc > 2 ? std::atoi(argv[2]) : 5;
  const uint32_t asked = rounds;
  NodeContainer server, hub, nodes;
  server.Create(1);
  hub.Create(1);
  nodes.Create(clients);
  PointToPointHelper link;
  link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("4000000p"));
  link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(1000000000)));
  link.SetChannelAttribute("Delay", TimeValue(Seconds(0)));
  NetDeviceContainer trunk = link.Install(server.Get(0), hub.Get(0));
  server_device = trunk.Get(0);
  hub_to_server = trunk.Get(1);
  server_device->SetReceiveCallback(MakeCallback(&at_server));
  hub_to_server->SetReceiveCallback(MakeCallback(&hub_from_server));
  for (uint32_t id = 0; id < clients; ++id) {
    const uint64_t rate = 1000000 + draw() % 99000001, latency = 10000000 + draw() % 90000001;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    link.SetChannelAttribute("Delay", TimeValue(NanoSeconds(latency)));
    NetDeviceContainer access = link.Install(hub.Get(0), nodes.Get(id));
    access.Get(0)->SetReceiveCallback(MakeCallback(&hub_from_client));
    access.Get(1)->SetReceiveCallback(MakeCallback(&at_client));
    hub_devices.push_back(access.Get(0));
    client_devices.push_back(access.Get(1));
  }
  for (uint32_t id = 0; id < clients; ++id)
    compute.push_back(NanoSeconds(100000000 + draw() % 900000001));
  received.assign(clients, 0);
  Simulator::ScheduleNow(&open_round);
  const double before = processor_seconds();
  Simulator::Run();
  std::printf("%u %u %.9f %.6f\n", clients, asked, ended, processor_seconds() - before);
  Simulator::Destroy();
  return 0;
}
