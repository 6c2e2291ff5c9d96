#include "platform/formats/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "base/json.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::platform::xml {

namespace {

constexpr std::size_t largest = std::size_t{256} << 20;  // bytes of a file
constexpr int deepest = json::deepest_nesting;

pugi::xml_node node_of(const void* node) {
  // The pointer is pugixml's own handle of a node.
  return pugi::xml_node(static_cast<pugi::xml_node_struct*>(const_cast<void*>(node)));
}

struct Attribute {
  std::string_view name{};
  std::size_t name_offset = 0;
  std::size_t value_offset = 0;
  std::size_t value_length = 0;
};

constexpr bool is_space(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

// The attributes of the element whose name begins at `offset`, in the order of the text. pugixml keeps no
// positions of attributes, so the text is scanned again. Requires: pugixml has parsed the text without an
// error, so that all quotes are closed.
std::vector<Attribute> attributes_at(std::string_view text, std::size_t offset) {
  std::vector<Attribute> found;
  const auto skip = [&](auto&& is_wanted) {
    while (offset < text.size() && is_wanted(text[offset])) ++offset;
  };
  const auto is_name = [](char letter) {
    return !is_space(letter) && letter != '=' && letter != '>' && letter != '/';
  };
  skip(is_name);
  while (offset < text.size()) {
    skip(is_space);
    if (offset >= text.size() || text[offset] == '>' || text[offset] == '/') break;
    Attribute attribute{.name_offset = offset};
    skip(is_name);
    attribute.name = text.substr(attribute.name_offset, offset - attribute.name_offset);
    skip([](char letter) { return is_space(letter) || letter == '='; });
    if (offset >= text.size() || attribute.name.empty()) break;
    const char quote = text[offset++];
    attribute.value_offset = offset;
    skip([quote](char letter) { return letter != quote; });
    attribute.value_length = offset - attribute.value_offset;
    ++offset;
    found.push_back(attribute);
  }
  return found;
}

// Reports the first byte that is not UTF-8 text.
void refuse_bytes(const json::Source& source) {
  const std::string_view text = source.text();
  const std::size_t bad = std::min(first_invalid_utf8(text), text.find('\0'));
  if (bad != std::string_view::npos)
    throw InputError(Problem{source.place(bad, 1), "this is not text", "XML files must be UTF-8"});
}

}  // namespace

struct Document::Content {
  json::Source source;
  pugi::xml_document tree{};

  std::size_t offset(const pugi::xml_node& node) const {
    const std::ptrdiff_t offset = node.offset_debug();
    return offset < 0 ? 0 : static_cast<std::size_t>(offset);
  }
};

Document::Document(std::string file, std::string text)
    : content_(new Content{.source = json::Source(std::move(file), std::move(text))}) {
  const json::Source& source = content_->source;
  if (source.text().size() > largest)
    throw InputError(Problem{{.file = source.file()},
                             fmt::format("the file has {} bytes", source.text().size()),
                             fmt::format("at most {} bytes are read", largest)});
  refuse_bytes(source);
  const pugi::xml_parse_result result = content_->tree.load_buffer(source.text().data(), source.text().size(),
                                                                   pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const auto offset = std::min(static_cast<std::size_t>(result.offset), source.text().size());
    throw InputError(Problem{source.place(offset, 1), "this is not XML",
                             fmt::format("the parser reports: {}", result.description())});
  }
  int depth = 0;
  const pugi::xml_node top = content_->tree;
  for (pugi::xml_node node = top.first_child(); node;) {
    if (node.first_child()) {
      node = node.first_child();
      if (++depth > deepest)
        throw InputError(Problem{source.place(content_->offset(node), 1),
                                 fmt::format("elements are nested deeper than {} levels", deepest), ""});
      continue;
    }
    while (node != top && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node == top ? pugi::xml_node() : node.next_sibling();
  }
}

Document::~Document() = default;
Document::Document(Document&&) noexcept = default;

Element Document::root(Problems& problems) const {
  return Element(*this, content_->tree.document_element().internal_object(), problems);
}

Document parse(std::string file, std::string text) { return Document(std::move(file), std::move(text)); }

std::string_view Element::name() const { return node_of(node_).name(); }

Place Element::place() const {
  const Document::Content& content = *document_->content_;
  return content.source.place(content.offset(node_of(node_)), name().size());
}

Place Element::place(std::string_view attribute) const {
  const Document::Content& content = *document_->content_;
  for (const Attribute& found : attributes_at(content.source.text(), content.offset(node_of(node_))))
    if (found.name == attribute) return content.source.place(found.value_offset, found.value_length);
  return place();
}

bool Element::has(std::string_view attribute) const {
  return !node_of(node_).attribute(std::string(attribute).c_str()).empty();
}

std::optional<std::string> Element::maybe(std::string_view attribute) {
  known_.emplace_back(attribute);
  if (!has(attribute)) return std::nullopt;
  std::string value = node_of(node_).attribute(known_.back().c_str()).value();
  if (value != printable(value))
    problem(attribute, fmt::format("the value of \"{}\" has control characters", attribute),
            "write one line of plain text");
  return value;
}

std::string Element::required(std::string_view attribute) {
  std::optional<std::string> found = maybe(attribute);
  if (!found) problem(fmt::format("this <{}> has no attribute \"{}\"", name(), attribute), "add it");
  return std::move(found).value_or("");
}

void Element::ignore(std::initializer_list<std::string_view> attributes) {
  known_.insert(known_.end(), attributes.begin(), attributes.end());
}

std::vector<Element> Element::children() const {
  std::vector<Element> found;
  const Document::Content& content = *document_->content_;
  for (const pugi::xml_node& child : node_of(node_).children()) {
    if (child.type() == pugi::node_element) {
      found.push_back(Element(*document_, child.internal_object(), *problems_));
    } else if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      problems_->add(content.source.place(content.offset(child), 1),
                     fmt::format("there is text between the elements of <{}>", name()), "leave it out");
    }
  }
  return found;
}

void Element::problem(std::string fact, std::string remedy) const {
  problems_->add(place(), std::move(fact), std::move(remedy));
}

void Element::problem(std::string_view attribute, std::string fact, std::string remedy) const {
  problems_->add(place(attribute), std::move(fact), std::move(remedy));
}

void Element::refuse() const {
  problem(fmt::format("unknown element <{}>", printable(name())), "leave it out");
}

void Element::finish() const {
  const Document::Content& content = *document_->content_;
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  std::vector<std::string_view> seen;
  for (const Attribute& found : attributes_at(content.source.text(), content.offset(node_of(node_)))) {
    const Place place = content.source.place(found.name_offset, found.name.size());
    if (std::find(seen.begin(), seen.end(), found.name) != seen.end())
      problems_->add(place, fmt::format("the attribute \"{}\" is given twice", printable(found.name)),
                     "leave one out");
    else if (std::find(known.begin(), known.end(), found.name) == known.end())
      problems_->add(place, fmt::format("unknown attribute \"{}\" of <{}>", printable(found.name), name()),
                     did_you_mean(found.name, known));
    seen.push_back(found.name);
  }
}

}  // namespace wt::platform::xml
