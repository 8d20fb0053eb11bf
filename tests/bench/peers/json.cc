// Times C++ protobuf on a meta graph: JSON and text, both ways, in one process.
//
//   mkdir -p target/peers
//   (cd proto && protoc --cpp_out=../target/peers $(find tensorflow xla -name '*.proto'))
//   g++ -O2 -std=c++17 -Itarget/peers tests/bench/peers/json.cc $(find target/peers -name '*.pb.cc') -lprotobuf -pthread -o target/peers/json
//   target/peers/json GRAPH.meta [REPETITIONS]
//
// GRAPH.json and GRAPH.pbtxt must be next to GRAPH.meta. Prints the median CPU seconds and the peak RSS so far.

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tensorflow/core/protobuf/meta_graph.pb.h"

using google::protobuf::TextFormat;
using tensorflow::MetaGraphDef;

static std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot open %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the task `times` times; it returns how many bytes of text, JSON or binary it read or wrote, 0 if it failed.
template <typename Task>
static void Time(const char* what, int times, Task task) {
  std::vector<double> seconds;
  size_t size = 0;
  for (int i = 0; i < times; ++i) {
    const std::clock_t start = std::clock();
    size = task();
    seconds.push_back(double(std::clock() - start) / CLOCKS_PER_SEC);
    if (size == 0) {
      std::printf("%s: refused\n", what);
      return;
    }
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s: %.3f s CPU, %.1f MB/s, peak %ld MiB\n", what, median, size / median / 1e6, usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: json GRAPH.meta [REPETITIONS]\n");
    return 2;
  }
  const std::string path = argv[1];
  const std::string stem = path.substr(0, path.rfind('.'));
  const int times = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string binary = Read(path), json = Read(stem + ".json"), text = Read(stem + ".pbtxt");
  MetaGraphDef meta;
  if (!meta.ParseFromString(binary)) return 1;

  Time("parse binary", times, [&] { return MetaGraphDef().ParseFromString(binary) ? binary.size() : 0; });
  Time("print binary", times, [&] { return meta.SerializeAsString().size(); });
  Time("print JSON", times, [&] {
    std::string out;
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    return google::protobuf::util::MessageToJsonString(meta, &out, options).ok() ? out.size() : 0;
  });
  Time("parse JSON", times, [&] {
    MetaGraphDef parsed;
    return google::protobuf::util::JsonStringToMessage(json, &parsed).ok() ? json.size() : 0;
  });
  Time("print text", times, [&] {
    std::string out;
    return TextFormat::PrintToString(meta, &out) ? out.size() : 0;
  });
  Time("parse text", times, [&] {
    MetaGraphDef parsed;
    return TextFormat::ParseFromString(text, &parsed) ? text.size() : 0;
  });
}
