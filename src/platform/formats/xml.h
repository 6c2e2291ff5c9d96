#pragma once
// XML whose elements and attributes know their place, read as json_reader.h reads JSON: every problem goes to
// one sink, and finish() names what nobody asked for. Entities beyond XML's own five are not expanded.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace wt::platform::xml {

class Document;

class Element {
 public:
  std::string_view name() const;
  Place place() const;                            // of its name
  Place place(std::string_view attribute) const;  // of the value; of the element's name where there is none

  // An empty text, and a problem, where there is none.
  std::string required(std::string_view attribute);
  std::optional<std::string> maybe(std::string_view attribute);
  std::string optional(std::string_view attribute, std::string_view otherwise) {
    return maybe(attribute).value_or(std::string(otherwise));
  }
  bool has(std::string_view attribute) const;
  void ignore(std::initializer_list<std::string_view> attributes);  // known, and without meaning here

  std::vector<Element> children() const;  // text between elements is a problem

  void problem(std::string fact, std::string remedy = {}) const;
  void problem(std::string_view attribute, std::string fact, std::string remedy) const;
  void refuse() const;  // an element that nobody knows

  // Refuses attributes that nobody asked for.
  void finish() const;

 private:
  friend class Document;
  Element(const Document& document, const void* node, Problems& problems)
      : document_(&document), node_(node), problems_(&problems) {}

  const Document* document_;
  const void* node_;  // pugixml's; its header stays out of this one
  Problems* problems_;
  std::vector<std::string> asked_{};
};

class Document {
 public:
  // Throws InputError where the text is no XML.
  Document(std::string file, std::string text);
  ~Document();
  Document(Document&&) noexcept;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Element root(Problems& problems) const;

 private:
  friend class Element;
  struct Content;
  std::unique_ptr<Content> content_;
};

Document parse(std::string file, std::string text);

}  // namespace wt::platform::xml
