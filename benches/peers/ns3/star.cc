// TCP transfers over a star in ns-3 (3.44; 3.37 does too): every node has one link to a hub, with a rate, a first-in first-out queue and
// a latency each way. To build it, and to compare it with SimGrid (package python3-simgrid of Debian 12):
//
//     NS3=$PWD/target/peers/ns3
//     python3 -m pip install --no-deps --only-binary :all: --python-version 3.11 --target $NS3 ns3==3.44.post0
//     LINK="-L$NS3/lib64 -Wl,-rpath,$NS3/lib64 -lns3.44-internet -lns3.44-network -lns3.44-core"
//     g++ -std=c++20 -O2 -I$NS3/include -o target/star benches/peers/ns3/star.cc $LINK
//     CM02="benches/peers/simgrid_star.py network/model:CM02"
//     benches/peers/ns3/compare.py results.jsonl ns-3=target/star LV08=benches/peers/simgrid_star.py "CM02=$CM02"
//
// Reads a case from standard input; node 0 is the server, clients count from 1:
//
//     star UP DOWN                                  bit/s of the server's link; its latency is 0
//     client UP DOWN LATENCY_NS                     one line per client; latency one way
//     opt cc cubic|reno|bbr                         congestion control (cubic)
//     opt header N                                  bytes per packet beside the payload, as the links count them (66)
//     opt segment N                                 bytes of payload per packet (1448)
//     opt fresh 0|1                                 1: a connection per transfer, made within its time; 0: one per client, made before
//     opt warm BYTES                                sent both ways on each standing connection before (0)
//     opt quiet_ms N                                rest before every batch (60)
//     opt idle 0|1                                  slow start after idling, as Linux has it (1)
//     opt delack N                                  packets per acknowledgement (2)
//     opt timeout_ms N                              least time to a timeout above the round trip (200); 0: ns-3's own, 1 s in all at least
//     opt sndbuf N, opt rcvbuf N                    bytes of buffer per socket (64 MiB)
//     opt limit UP_BYTES DOWN_BYTES                 once per node, server first: room of the queues of its link (10 000 000)
//     xfer OFFSET_NS FROM TO BYTES                  on standing connections one of both is the server
//     echo OFFSET_NS CLIENT DOWN_BYTES COMPUTE_NS UP_BYTES    the server sends, the client computes and sends back
//     round                                         what follows starts after all before has ended, and the rest
//
// Arguments are further lines `opt`, without that word: star 'timeout_ms 0' <case
//
// Prints a line per transfer in their order: number, ns until the bytes (of `echo`: down) are there, ns until all is; from its own start.
// To standard error: seconds of wall clock and number of events.
//
// Links: SimpleNetDevice in point-to-point mode, which has no header of its own: packets are padded to `header`. No queueing discipline
// above the devices. Headers below 52 turn time stamps off (ns-3's packets have 20 bytes of IP, 20 of TCP, 12 of time stamps).
//
// Set as Linux has it: initial window 10, SACK, proportional rate reduction, HyStart, timeouts 200 ms above the round trip, acknowledgements
// after two packets or 40 ms, no pacing but BBR's. Of Linux, ns-3 has not: slow start after idling (`opt idle 1` adds it here, halving the
// window as Linux does), acknowledging every packet at first, CUBIC's pause while idle, undoing what a timeout in vain did (F-RTO, DSACK),
// RACK and tail loss probes, small queues in the sender (TSQ), buffers that tune themselves, and noise. The packet being sent takes no room
// in a queue here.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

[[noreturn]] static void fail(const std::string& why) {
  std::cerr << "star: " << why << "\n";
  std::exit(1);
}

// A link's end: every packet is padded, so that the link counts `padding` bytes more than IP (the receiver's IP trims them).
class Wire : public SimpleNetDevice {
public:
  uint32_t padding = 0;
  bool Send(Ptr<Packet> packet, const Address& to, uint16_t protocol) override {
    Ptr<Packet> padded = packet->Copy();
    padded->AddPaddingAtEnd(padding);
    return SimpleNetDevice::Send(padded, to, protocol);
  }
};

// Congestion control that lets its connection's state be reached, for what ns-3 has not: a smaller window after idling.
struct Reachable {
  Ptr<TcpSocketState> state;
  virtual ~Reachable() = default;
};
template <class Base> class Open : public Base, public Reachable {
public:
  static TypeId GetTypeId() {
    static TypeId id =
        TypeId("fedbits::Open" + Base::GetTypeId().GetName()).template SetParent<Base>().template AddConstructor<Open<Base>>();
    return id;
  }
  void Init(Ptr<TcpSocketState> own) override {
    state = own;
    Base::Init(own);
  }
  Ptr<TcpCongestionOps> Fork() override { return CopyObject<Open<Base>>(this); }
};

struct Client {
  uint64_t up, down, latency;
};
struct Job {
  bool echo;
  uint64_t offset, from, to, bytes, compute, back;
};

static struct {
  std::string cc   = "cubic";
  uint32_t header  = 66;
  uint32_t segment = 1448;
  bool fresh       = false;
  uint64_t warm    = 0;
  uint64_t quiet   = 60;
  bool idle        = true;
  uint32_t delack  = 2;
  uint32_t timeout = 200;
  uint32_t sndbuf  = 64 << 20;
  uint32_t rcvbuf  = 64 << 20;
  std::vector<std::pair<uint64_t, uint64_t>> limits;
} opt;
static std::vector<Client> ends; // of node 0 the server's rates, without latency
static std::vector<std::vector<Job>> batches(1);
static std::vector<Ptr<Node>> nodes;
static const uint16_t PORT = 7000;

static Ipv4Address address(uint32_t node) { return Ipv4Address((10u << 24) + (node << 2) + 2); }

// One end of a connection: bytes still to be written, and what awaits the bytes to be read.
struct End {
  Ptr<Socket> socket;
  uint64_t unwritten = 0;
  std::deque<std::pair<uint64_t, std::function<void()>>> awaited;
  Time last_sent, timeout = Seconds(1);

  void write(uint64_t bytes) {
    restart();
    unwritten += bytes;
    push();
  }
  void push() {
    while (unwritten > 0) {
      const uint64_t some = std::min<uint64_t>({unwritten, socket->GetTxAvailable(), 1 << 16});
      if (some == 0)
        return;
      const int sent = socket->Send(Create<Packet>(static_cast<uint32_t>(some)));
      if (sent <= 0)
        return;
      unwritten -= sent;
    }
  }
  void read(uint64_t bytes, std::function<void()> then) { awaited.emplace_back(bytes, std::move(then)); }
  void received() {
    uint64_t got = 0;
    while (Ptr<Packet> packet = socket->Recv()) {
      if (packet->GetSize() == 0)
        break;
      got += packet->GetSize();
    }
    while (got > 0 && !awaited.empty()) {
      const uint64_t part = std::min(got, awaited.front().first);
      got -= part;
      if ((awaited.front().first -= part) == 0) {
        auto then = std::move(awaited.front().second);
        awaited.pop_front();
        then();
      }
    }
    if (got > 0)
      fail("bytes that nobody awaits");
  }
  // Linux's tcp_cwnd_restart: the window halves once per timeout without sending, down to the initial one.
  void restart() {
    PointerValue held;
    socket->GetAttribute("CongestionOps", held);
    auto* ops = dynamic_cast<Reachable*>(PeekPointer(held.Get<Object>()));
    if (!opt.idle || !ops || !ops->state || ops->state->m_bytesInFlight.Get() > 0 || last_sent.IsZero())
      return;
    TcpSocketState& tcb = *ops->state;
    uint32_t window     = tcb.m_cWnd;
    const uint32_t least = std::min(window, tcb.m_initialCWnd * tcb.m_segmentSize);
    Time rest = Simulator::Now() - last_sent - timeout;
    if (rest <= Time(0))
      return;
    tcb.m_ssThresh = std::max<uint32_t>(tcb.m_ssThresh, window / 4 * 3);
    for (; rest > Time(0) && window > least; rest -= timeout)
      window /= 2;
    tcb.m_cWnd     = std::max(window, least);
    tcb.m_cWndInfl = tcb.m_cWnd;
  }
};
using Held = std::shared_ptr<End>;

static void sent(End* end, Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>) {
  if (packet->GetSize() > 0)
    end->last_sent = Simulator::Now();
}
static void timed(End* end, Time, Time now) { end->timeout = now; }

static std::vector<Held> kept; // every end ever made
static Held hold(Ptr<Socket> socket) {
  Held end    = std::make_shared<End>();
  end->socket = socket;
  End* raw    = end.get();
  socket->SetRecvCallback(Callback<void, Ptr<Socket>>([raw](Ptr<Socket>) { raw->received(); }));
  socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>([raw](Ptr<Socket>, uint32_t) { raw->push(); }));
  socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&sent, raw));
  socket->TraceConnectWithoutContext("RTO", MakeBoundCallback(&timed, raw));
  kept.push_back(end);
  return end;
}

// Connects two nodes; `made` gets the maker's end when it may write, `taken` the other's when it may read.
static std::map<std::pair<uint32_t, uint16_t>, std::function<void(Held)>> awaited_makers;
static void connect(uint32_t from, uint32_t to, std::function<void(Held)> made, std::function<void(Held)> taken) {
  Ptr<Socket> socket = Socket::CreateSocket(nodes[from], TcpSocketFactory::GetTypeId());
  socket->Bind();
  Address own;
  socket->GetSockName(own);
  awaited_makers[{address(from).Get(), InetSocketAddress::ConvertFrom(own).GetPort()}] = std::move(taken);
  Held end = hold(socket);
  socket->SetConnectCallback(Callback<void, Ptr<Socket>>([=](Ptr<Socket>) { made(end); }),
                             Callback<void, Ptr<Socket>>([](Ptr<Socket>) { fail("a connection was refused"); }));
  socket->Connect(InetSocketAddress(address(to), PORT));
}
static void accepted(Ptr<Socket> socket, const Address& maker) {
  const InetSocketAddress who = InetSocketAddress::ConvertFrom(maker);
  const auto found            = awaited_makers.find({who.GetIpv4().Get(), who.GetPort()});
  if (found == awaited_makers.end())
    fail("a connection from nobody");
  found->second(hold(socket));
  awaited_makers.erase(found);
}

static std::vector<std::pair<Held, Held>> standing; // per client: its end, the server's
struct Outcome {
  int64_t first = -1, last = -1;
};
static std::vector<Outcome> outcomes;
static size_t batch, running;
static bool done;

static void next_batch();
static void ended(size_t id, Time start) {
  outcomes[id].last = (Simulator::Now() - start).GetNanoSeconds();
  if (outcomes[id].first < 0)
    outcomes[id].first = outcomes[id].last;
  if (--running == 0)
    next_batch();
}

static void start(size_t id, Job job) {
  const Time begun = Simulator::Now();
  if (job.echo) {
    if (opt.fresh)
      fail("echo needs standing connections");
    auto [client, server] = standing.at(job.to);
    client->read(job.bytes, [=, client = client] {
      outcomes[id].first = (Simulator::Now() - begun).GetNanoSeconds();
      Simulator::Schedule(NanoSeconds(job.compute), [=] { client->write(job.back); });
    });
    server->read(job.back, [=] { ended(id, begun); });
    server->write(job.bytes);
  } else if (opt.fresh) {
    const auto made  = std::make_shared<Held>();
    connect(job.from, job.to,
            [=](Held end) {
              *made = end;
              end->write(job.bytes);
            },
            [=](Held end) {
              end->read(job.bytes, [=] {
                ended(id, begun);
                (*made)->socket->Close();
                Simulator::ScheduleNow([=] { end->socket->Close(); });
              });
            });
  } else {
    if (job.from != 0 && job.to != 0)
      fail("no standing connection between clients");
    auto [client, server] = standing.at(std::max(job.from, job.to));
    (job.from == 0 ? client : server)->read(job.bytes, [=] { ended(id, begun); });
    (job.from == 0 ? server : client)->write(job.bytes);
  }
}

static void next_batch() {
  while (batch < batches.size() && batches[batch].empty())
    ++batch;
  if (batch == batches.size()) {
    done = true;
    Simulator::Stop();
    return;
  }
  for (const Job& job : batches[batch]) {
    Simulator::Schedule(MilliSeconds(opt.quiet) + NanoSeconds(job.offset), &start, outcomes.size(), job);
    outcomes.emplace_back();
    ++running;
  }
  ++batch;
}

static void warm(size_t client);
static void stand(size_t client) { // connects this client and those after it, then sends what warms
  if (client == ends.size()) {
    if (opt.warm > 0)
      warm(1);
    else
      next_batch();
    return;
  }
  auto both = std::make_shared<int>(0);
  auto one  = [=] {
    if (++*both == 2)
      Simulator::ScheduleNow(&stand, client + 1);
  };
  connect(client, 0,
          [=](Held end) {
            standing[client].first = end;
            one();
          },
          [=](Held end) {
            standing[client].second = end;
            one();
          });
}
static void warm(size_t client) {
  if (client == ends.size()) {
    next_batch();
    return;
  }
  auto [own, server] = standing[client];
  server->read(opt.warm, [=, own = own, server = server] {
    own->read(opt.warm, [=] { Simulator::ScheduleNow(&warm, client + 1); });
    server->write(opt.warm);
  });
  own->write(opt.warm);
}

static Ptr<Ipv4> join(Ptr<Node> node, Ptr<Wire> wire, Ipv4Address own) {
  node->AddDevice(wire);
  Ptr<Ipv4> ip     = node->GetObject<Ipv4>();
  const uint32_t i = ip->AddInterface(wire);
  ip->AddAddress(i, Ipv4InterfaceAddress(own, Ipv4Mask("255.255.255.252")));
  ip->SetUp(i);
  return ip;
}
static Ptr<Wire> wire(uint64_t rate, uint64_t room, uint32_t padding) {
  Ptr<Wire> one = CreateObject<Wire>();
  one->padding  = padding;
  one->SetAddress(Mac48Address::Allocate());
  one->SetAttribute("PointToPointMode", BooleanValue(true));
  one->SetAttribute("DataRate", DataRateValue(DataRate(rate)));
  Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
  queue->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, room));
  one->SetQueue(queue);
  return one;
}

static void read(std::istream& text) {
  std::string line, word;
  while (std::getline(text, line)) {
    std::istringstream in(line);
    if (!(in >> word) || word[0] == '#')
      continue;
    Job job{};
    if (word == "star") {
      in >> ends[0].up >> ends[0].down;
    } else if (word == "client") {
      Client one{};
      in >> one.up >> one.down >> one.latency;
      ends.push_back(one);
    } else if (word == "opt") {
      std::pair<uint64_t, uint64_t> room;
      in >> word;
      if (word == "cc") in >> opt.cc;
      else if (word == "header") in >> opt.header;
      else if (word == "segment") in >> opt.segment;
      else if (word == "fresh") in >> opt.fresh;
      else if (word == "warm") in >> opt.warm;
      else if (word == "quiet_ms") in >> opt.quiet;
      else if (word == "idle") in >> opt.idle;
      else if (word == "delack") in >> opt.delack;
      else if (word == "timeout_ms") in >> opt.timeout;
      else if (word == "sndbuf") in >> opt.sndbuf;
      else if (word == "rcvbuf") in >> opt.rcvbuf;
      else if (word == "limit") {
        in >> room.first >> room.second;
        opt.limits.push_back(room);
      } else fail("what is opt " + word + "?");
    } else if (word == "xfer") {
      in >> job.offset >> job.from >> job.to >> job.bytes;
      batches.back().push_back(job);
    } else if (word == "echo") {
      job.echo = true;
      in >> job.offset >> job.to >> job.bytes >> job.compute >> job.back;
      batches.back().push_back(job);
    } else if (word == "round") {
      batches.emplace_back();
    } else {
      fail("what is " + word + "?");
    }
    if (in.fail())
      fail("not understood: " + line);
    if ((word == "xfer" || word == "echo") && (job.bytes == 0 || (job.echo && job.back == 0)))
      fail("no bytes: " + line);
    if (job.from >= ends.size() || job.to >= ends.size())
      fail("no such node: " + line);
  }
}

int main(int argc, char** argv) {
  ends.push_back({0, 0, 0});
  read(std::cin);
  for (int i = 1; i < argc; ++i) {
    std::istringstream more(std::string("opt ") + argv[i]);
    read(more);
  }
  const bool stamps      = opt.header >= 52;
  const uint32_t bare    = stamps ? 52 : 40;
  const uint32_t padding = opt.header > bare ? opt.header - bare : 0;
  if (opt.header < bare)
    fail("headers below 40 bytes");
  TypeId control = opt.cc == "cubic" ? Open<TcpCubic>::GetTypeId()
                   : opt.cc == "reno" ? Open<TcpLinuxReno>::GetTypeId()
                   : opt.cc == "bbr"  ? Open<TcpBbr>::GetTypeId()
                                      : (fail("no such congestion control: " + opt.cc), TypeId());
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(control));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(opt.segment));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(opt.sndbuf));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(opt.rcvbuf));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(opt.delack));
  Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
  Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
  Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(15));
  if (opt.timeout > 0) { // the granularity is what ns-3 adds to the round trip at least, as Linux adds its least timeout
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(opt.timeout)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(opt.timeout)));
  }
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(stamps));

  Ptr<Node> hub = CreateObject<Node>();
  InternetStackHelper stack;
  stack.SetIpv6StackInstall(false);
  Ipv4StaticRoutingHelper routing;
  stack.SetRoutingHelper(routing);
  stack.Install(hub);
  for (uint32_t i = 0; i < ends.size(); ++i) {
    const auto room = i < opt.limits.size() ? opt.limits[i] : std::pair<uint64_t, uint64_t>(10'000'000, 10'000'000);
    Ptr<Node> node  = CreateObject<Node>();
    stack.Install(node);
    Ptr<Wire> up = wire(ends[i].up, room.first, padding), down = wire(ends[i].down, room.second, padding);
    Ptr<SimpleChannel> channel = CreateObject<SimpleChannel>();
    channel->SetAttribute("Delay", TimeValue(NanoSeconds(ends[i].latency)));
    up->SetChannel(channel);
    down->SetChannel(channel);
    const Ipv4Address gate((10u << 24) + (i << 2) + 1);
    join(hub, down, gate);
    routing.GetStaticRouting(join(node, up, address(i)))->SetDefaultRoute(gate, 1);
    nodes.push_back(node);
    Ptr<Socket> listener = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(), MakeCallback(&accepted));
  }
  standing.resize(ends.size());
  if (opt.fresh)
    Simulator::ScheduleNow(&next_batch);
  else
    Simulator::ScheduleNow(&stand, size_t{1});

  const auto before = std::chrono::steady_clock::now();
  Simulator::Run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  if (!done)
    fail("the simulation ended before the transfers");
  for (size_t i = 0; i < outcomes.size(); ++i)
    std::printf("%zu %lld %lld\n", i, static_cast<long long>(outcomes[i].first), static_cast<long long>(outcomes[i].last));
  std::fprintf(stderr, "%.6f %llu\n", took.count(), static_cast<unsigned long long>(Simulator::GetEventCount()));
  std::fflush(stdout);
  std::_Exit(0); // tearing the nodes down takes time and tells nothing
}
