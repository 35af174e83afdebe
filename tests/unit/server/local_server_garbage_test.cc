// What no client should send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sidecar/base/prng.h"
#include "tests/unit/server/scene.h"

namespace tenure {
namespace {

std::vector<Client> OneOfEach(Scene* scene) {
  std::vector<Client> clients;
  clients.push_back(scene->Status());
  clients.push_back(scene->StatusTcp());
  clients.push_back(scene->Control());
  clients.push_back(scene->Probe());
  return clients;
}

TEST(LocalServerGarbage, RandomBytesAreAnsweredAndEnded) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Prng random(7);
  for (int round = 0; round < 100; ++round) {
    for (Client& client : OneOfEach(&scene)) {
      std::string bytes(1 + random.Below(3'000), ' ');
      for (char& c : bytes) c = static_cast<char>(random.Below(256));
      bytes += "\r\n\r\n";
      client.Send(bytes);
      client.CloseSending();
      EXPECT_EQ(StatusOf(client.ReadToEnd()), 400);
    }
  }
  EXPECT_EQ(scene.Generation(), "41\n");
}

TEST(LocalServerGarbage, MutatedRequestsNeverStopTheServer) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(ControlReply{std::nullopt, 41});
  const std::string request =
      "POST /v1/work?lease=demo HTTP/1.1\r\nHost: localhost\r\n"
      "Accept: application/json;q=0.5\r\nContent-Length: 20\r\n\r\n"
      "{\"generation\":\"41\"}\n"
      "GET /v1/check?generation=41 HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "POST /v1/done HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "13\r\n{\"generation\":\"41\"}\r\n0\r\n\r\n";
  Prng random(8);
  int answered = 0;
  for (int round = 0; round < 500; ++round) {
    for (Client& client : OneOfEach(&scene)) {
      std::string bytes = request;
      for (std::uint64_t i = random.Below(6); i > 0; --i) {
        bytes[random.Below(bytes.size())] =
            static_cast<char>(random.Below(256));
      }
      bytes.resize(random.Below(bytes.size()) + 1);
      client.Send(bytes);
      client.CloseSending();
      answered += StatusOf(client.ReadToEnd()) != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(answered, 500);
  EXPECT_EQ(scene.Generation(), "41\n");
}

TEST(LocalServerGarbage, ClientsThatLeaveAtAnyPointAreForgotten) {
  Scene scene;
  scene.options().max_connections = 8;
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(ControlReply{std::nullopt, 41});
  const std::string request =
      "GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n";
  Prng random(9);
  for (int round = 0; round < 1'000; ++round) {
    Client client = random.Below(2) == 0 ? scene.Status() : scene.StatusTcp();
    client.SendSome(request.substr(0, random.Below(request.size())));
  }
  std::string reply;
  for (int i = 0; i < 10'000 && StatusOf(reply) != 200; ++i) {
    reply = scene.StatusTcp().Get("/v1/generation");
  }
  EXPECT_EQ(BodyOf(reply), "41\n");
}

TEST(LocalServerGarbage, ATlsClientIsToldThatThisIsHttp) {
  Scene scene;
  scene.Start();
  Client client = scene.Probe();
  client.Send(std::string("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", 10));
  EXPECT_EQ(StatusOf(client.ReadToEnd()), 400);
}

}  // namespace
}  // namespace tenure
