#include "sidecar/embedded/watch_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/embedded/api_fixture.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "TYPE name@version" of each line.
std::vector<std::string> Describe(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    const json& metadata = event["object"]["metadata"];
    out.push_back(event["type"].get<std::string>() + " " +
                  metadata.value("name", "") + "@" +
                  metadata.value("resourceVersion", ""));
  }
  return out;
}

// A watch that hears the table as the server's do.
class Listening {
 public:
  Listening(Api& api, const std::string& query)
      : api_(api), feed_(*api.Watch(query)) {
    heard_ = feed_.Start(api.table(), kNow);
    api.table().SetListener([this](const LeaseChange& change) {
      heard_ += feed_.OnChange(change, kNow);
    });
  }
  ~Listening() { api_.table().SetListener({}); }

  std::vector<std::string> Heard() {
    return Describe(std::exchange(heard_, ""));
  }
  WatchFeed& feed() { return feed_; }

 private:
  Api& api_;
  WatchFeed feed_;
  std::string heard_;
};

class WatchFeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api_.Create("a", "{}", R"(,"labels":{"k":"1"})");  // 2
    api_.Create("b");                                  // 3
  }

  void Relabel(const std::string& value) {
    api_.MergePatch("a", R"({"metadata":{"labels":{"k":")" + value + "\"}}}");
  }

  Api api_;
};

TEST_F(WatchFeedTest, WithoutVersionItStartsWithWhatThereIs) {
  Listening watch(api_, "");
  EXPECT_THAT(watch.Heard(), ElementsAre("ADDED a@2", "ADDED b@3"));
  api_.MergePatch("a", R"({"spec":{"leaseTransitions":1}})");
  api_.Call("DELETE", std::string(kLeasesPath) + "/b");
  api_.Create("c");
  EXPECT_THAT(watch.Heard(),
              ElementsAre("MODIFIED a@4", "DELETED b@5", "ADDED c@6"));
}

TEST_F(WatchFeedTest, VersionZeroMeansTheSame) {
  EXPECT_THAT(Listening(api_, "resourceVersion=0").Heard(),
              ElementsAre("ADDED a@2", "ADDED b@3"));
}

TEST_F(WatchFeedTest, FromAVersionItRepeatsWhatWasMissed) {
  Relabel("2");  // 4
  Listening watch(api_, "resourceVersion=2");
  EXPECT_THAT(watch.Heard(), ElementsAre("ADDED b@3", "MODIFIED a@4"));
  Relabel("3");
  EXPECT_THAT(watch.Heard(), ElementsAre("MODIFIED a@5"));
}

TEST_F(WatchFeedTest, FromTheCurrentVersionItIsSilent) {
  Listening watch(api_, "resourceVersion=3");
  EXPECT_THAT(watch.Heard(), IsEmpty());
  EXPECT_FALSE(watch.feed().over());
}

TEST_F(WatchFeedTest, FromTheFutureItWaitsForTheFuture) {
  Listening watch(api_, "resourceVersion=4");
  Relabel("2");  // 4
  EXPECT_THAT(watch.Heard(), IsEmpty());
  Relabel("3");  // 5
  EXPECT_THAT(watch.Heard(), ElementsAre("MODIFIED a@5"));
}

TEST_F(WatchFeedTest, FromBeforeTheHistoryItEndsWithGone) {
  Api api({.history = 2});
  for (const char* name : {"a", "b", "c", "d"}) api.Create(name);
  auto feed = api.Watch("resourceVersion=2");
  const json event = json::parse(feed->Start(api.table(), kNow));
  EXPECT_EQ(event["type"], "ERROR");
  EXPECT_EQ(event["object"]["code"], 410);
  EXPECT_EQ(event["object"]["reason"], "Expired");
  EXPECT_TRUE(feed->over());
}

TEST_F(WatchFeedTest, ALeaseComesIntoSightAndLeavesIt) {
  Listening watch(api_, "labelSelector=k=1");
  EXPECT_THAT(watch.Heard(), ElementsAre("ADDED a@2"));
  Relabel("2");
  EXPECT_THAT(watch.Heard(), ElementsAre("DELETED a@4"));
  Relabel("3");
  EXPECT_THAT(watch.Heard(), IsEmpty());
  Relabel("1");
  EXPECT_THAT(watch.Heard(), ElementsAre("ADDED a@6"));
  api_.Call("DELETE", std::string(kLeasesPath) + "/a");
  EXPECT_THAT(watch.Heard(), ElementsAre("DELETED a@7"));
}

TEST_F(WatchFeedTest, OneNameIsWatchedAlone) {
  Listening watch(api_, "fieldSelector=metadata.name=b&resourceVersion=3");
  Relabel("2");
  api_.MergePatch("b", R"({"spec":{"leaseTransitions":1}})");
  EXPECT_THAT(watch.Heard(), ElementsAre("MODIFIED b@5"));
  EXPECT_EQ(watch.feed().exact_name(), "b");
}

TEST_F(WatchFeedTest, OtherNamespacesAreNotSeen) {
  Listening watch(api_, "resourceVersion=3");
  api_.Call("PUT", "/apis/coordination.k8s.io/v1/namespaces/other/leases/a",
            R"({"metadata":{"name":"a"}})");
  EXPECT_THAT(watch.Heard(), IsEmpty());
}

TEST_F(WatchFeedTest, InitialEventsEndWithABookmarkThatSaysSo) {
  auto feed = api_.Watch(
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
      "allowWatchBookmarks=true");
  const std::string text = feed->Start(api_.table(), kNow);
  EXPECT_THAT(Describe(text),
              ElementsAre("ADDED a@2", "ADDED b@3", "BOOKMARK @3"));
  EXPECT_NE(text.find(R"("k8s.io/initial-events-end":"true")"),
            std::string::npos);
}

TEST_F(WatchFeedTest, InitialEventsCanBeDeclined) {
  EXPECT_THAT(
      Listening(api_,
                "sendInitialEvents=false&resourceVersionMatch=NotOlderThan")
          .Heard(),
      IsEmpty());
}

TEST_F(WatchFeedTest, BookmarksComeOnlyWhereAskedFor) {
  Listening silent(api_, "");
  EXPECT_EQ(silent.feed().Bookmark(3), "");
  Listening watch(api_, "allowWatchBookmarks=true");
  EXPECT_THAT(Describe(watch.feed().Bookmark(9)), ElementsAre("BOOKMARK @9"));
}

TEST_F(WatchFeedTest, TablesNameTheirColumnsOnce) {
  const auto route =
      ParseRoute("GET", std::string(kLeasesPath) + "?watch=true");
  auto feed = WatchFeed::Open(*route, View{Form::kTable, RowObject::kNone});
  std::istringstream lines(feed->Start(api_.table(), kNow));
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(json::parse(line)["object"]["columnDefinitions"].is_array());
  std::getline(lines, line);
  EXPECT_TRUE(json::parse(line)["object"]["columnDefinitions"].is_null());
}

TEST_F(WatchFeedTest, BadOptionsAreRefusedBeforeTheStream) {
  EXPECT_FALSE(api_.Watch("resourceVersion=abc"));
  EXPECT_FALSE(api_.Watch("fieldSelector=foo=bar"));
  EXPECT_FALSE(api_.Watch("sendInitialEvents=true"));
}

}  // namespace
}  // namespace tenure::embedded
