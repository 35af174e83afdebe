// GET /v1/watch: events at once, at publications, and by time alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sidecar/server/limits.h"
#include "tests/unit/server/scene.h"

namespace tenure {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kWatch[] = "GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n";

Client Watch(Scene* scene, const std::string& query = "") {
  Client client = scene->Status();
  client.Send("GET /v1/watch" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              HasSubstr("Content-Type: text/event-stream"));
  return client;
}

// The document of the next event; comments are passed over.
json NextEvent(Client* client) {
  std::string event;
  do {
    event = client->ReadUntil("\n\n");
  } while (event == ":\n\n");
  EXPECT_THAT(event, StartsWith("event: status\ndata: "));
  const std::size_t data = event.find("data: ");
  return data == std::string::npos ? json()
                                   : json::parse(event.substr(data + 6));
}

// Events until one has `value` under `key`: a publication may be told of twice.
json EventWith(Client* client, const char* key, const std::string& value) {
  for (int i = 0; i < 100; ++i) {
    json event = NextEvent(client);
    if (event.is_null() || event.value(key, "") == value) return event;
  }
  ADD_FAILURE() << "no event has " << key << " " << value;
  return {};
}

json EventSaying(Client* client, const std::string& certainty) {
  return EventWith(client, "certainty", certainty);
}

TEST(LocalServerWatch, TellsTheStatusAtOnceAndAtEachPublication) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = Watch(&scene);
  EXPECT_EQ(NextEvent(&client)["generation"], "41");
  scene.Publish(Held(42));
  EXPECT_EQ(EventWith(&client, "generation", "42")["certainty"], "held");
  scene.Publish(Standby("pod-b", 50));
  EXPECT_EQ(EventWith(&client, "holder", "pod-b")["certainty"], "standby");
}

// As often as the core publishes: a request left, an answer was timed.
TEST(LocalServerWatch, IsSilentWhileNothingOfNoteChanges) {
  Scene scene;
  scene.Start();
  AuthoritySnapshot snapshot = Held(41);
  scene.Publish(snapshot);
  Client client = Watch(&scene);
  EXPECT_EQ(NextEvent(&client)["generation"], "41");
  snapshot.round_trip_last = milliseconds(7);
  scene.Publish(snapshot);
  // The server has looked at that publication once this is answered.
  EXPECT_EQ(StatusOf(scene.Status().Get("/v1/status")), 200);
  snapshot.renewals += 1;
  snapshot.draining = true;
  scene.Publish(snapshot);
  EXPECT_EQ(NextEvent(&client)["draining"], true);
}

TEST(LocalServerWatch, TellsOnlyOfItsLease) {
  Scene scene({"billing", "demo"});
  scene.Start();
  Client client = Watch(&scene, "?lease=demo");
  EXPECT_EQ(NextEvent(&client)["certainty"], "uncertain");
  scene.Publish(Held(1), 0);
  scene.Publish(Held(2), 1);
  const json event = NextEvent(&client);
  EXPECT_EQ(event["lease"], "demo");
  EXPECT_EQ(event.value("generation", ""), "2");
}

TEST(LocalServerWatch, TimeAloneIsTold) {
  Scene scene;
  // Time stands still for the server, whose timers run: it looks again at each
  // comment.
  scene.options().waits.comment = milliseconds(5);
  scene.Start();
  scene.Publish(Held(41));
  Client client = Watch(&scene);
  EXPECT_EQ(NextEvent(&client)["certainty"], "held");
  scene.SetNow(seconds(10));
  EXPECT_EQ(EventSaying(&client, "uncertain")["reason"], "renewBy");
  scene.SetNow(milliseconds(14'850));
  EventSaying(&client, "standby");
  scene.SetNow(seconds(15));
  EXPECT_EQ(EventSaying(&client, "uncertain")["reason"], "silence");
}

TEST(LocalServerWatch, AChangeIsToldWhenItIsDueNotAtTheNextComment) {
  Scene scene;
  scene.options().waits.comment = std::chrono::hours(1);
  scene.Start();
  AuthoritySnapshot snapshot = Held(41);
  snapshot.term->renew_by = milliseconds(20);
  scene.Publish(snapshot);
  Client client = Watch(&scene);
  EXPECT_EQ(NextEvent(&client)["certainty"], "held");
  // The timer for renew_by is armed: from now on it finds the time passed.
  scene.SetNow(milliseconds(20));
  EXPECT_EQ(EventSaying(&client, "uncertain")["reason"], "renewBy");
}

TEST(LocalServerWatch, SilenceIsFilledWithComments) {
  Scene scene;
  scene.options().waits.comment = milliseconds(5);
  scene.Start();
  Client client = Watch(&scene);
  NextEvent(&client);
  EXPECT_EQ(client.ReadUntil("\n\n"), ":\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n"), ":\n\n");
}

TEST(LocalServerWatch, TheLimitOfStreamsIsAnsweredAndFreedAgain) {
  Scene scene;
  scene.Start();
  std::vector<Client> clients;
  for (int i = 0; i < kMaxEventStreams; ++i) {
    clients.push_back(Watch(&scene));
    NextEvent(&clients.back());
  }
  Client late = scene.StatusTcp();
  const std::string refusal = late.Ask(kWatch);
  EXPECT_EQ(StatusOf(refusal), 503);
  EXPECT_THAT(BodyOf(refusal), HasSubstr("at most 32 watchers"));
  EXPECT_EQ(StatusOf(late.Get("/v1/status")), 200);
  clients.front().Close();
  // The server notices by itself; how soon is not promised.
  std::string reply;
  for (int i = 0; i < 10'000 && StatusOf(reply) != 200; ++i) {
    Client again = scene.Status();
    again.Send(kWatch);
    reply = again.ReadUntil("\r\n\r\n");
  }
  EXPECT_EQ(StatusOf(reply), 200);
}

TEST(LocalServerWatch, ASlowReaderIsClosedAndSeesNoBacklog) {
  Scene scene;
  scene.options().waits.write = milliseconds(50);
  scene.options().waits.sweep = milliseconds(10);
  scene.Start();
  Client slow = scene.StatusTcp();
  slow.SetReceiveBuffer(128 * 1024);
  slow.Send(kWatch);
  Client quick = Watch(&scene);
  NextEvent(&quick);
  // Far more than the sockets between us hold, told and read one by one by the
  // quick reader, while the slow one takes nothing.
  AuthoritySnapshot snapshot = Held(1);
  snapshot.refusal.assign(4'000, 'x');
  for (std::int64_t i = 1; i <= 500; ++i) {
    snapshot.term->generation = i;
    scene.Publish(snapshot);
    ASSERT_FALSE(EventWith(&quick, "generation", std::to_string(i)).is_null());
  }
  const std::string got = slow.ReadToEnd();  // ends: it was closed
  EXPECT_LT(got.size(), 500U * 4'000U / 2);
}

TEST(LocalServerWatch, AStreamThatEndsIsForgotten) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(1));
  for (int i = 0; i < 200; ++i) {
    Client client = Watch(&scene);
    client.Send("anything");
    NextEvent(&client);
    client.Close();
    scene.Publish(Held(i + 2));
  }
  EXPECT_EQ(scene.Generation(), "201\n");
}

}  // namespace
}  // namespace tenure
