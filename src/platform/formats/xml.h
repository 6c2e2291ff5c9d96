#pragma once
// XML with the place of each element and attribute, read in the manner of base/json_reader.h: every problem
// is added to one list, and finish() reports attributes that were not read.
//
//   xml::Element root = document.root(problems);
//   const std::string version = root.required("version");
//   root.finish();
//   for (xml::Element& child : root.children()) ...
//
// Only the five entities of XML itself are expanded, so that a small file cannot expand to a large text.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace wt::platform::xml {

class Document;

// An element of a document. Requires: the document and the list of problems live longer.
class Element {
 public:
  std::string_view name() const;
  Place place() const;                            // the place of its name
  Place place(std::string_view attribute) const;  // of the attribute's value, else of the element's name

  // The value of an attribute. If it is absent: an empty text and a problem, none, or `otherwise`.
  std::string required(std::string_view attribute);
  std::optional<std::string> maybe(std::string_view attribute);
  std::string optional(std::string_view attribute, std::string_view otherwise) {
    return maybe(attribute).value_or(std::string(otherwise));
  }
  bool has(std::string_view attribute) const;
  void ignore(std::initializer_list<std::string_view> attributes);  // allowed, but without a meaning here

  std::vector<Element> children() const;  // reports text between elements as a problem

  // Add a problem at the element or at the value of an attribute.
  void problem(std::string fact, std::string remedy = {}) const;
  void problem(std::string_view attribute, std::string fact, std::string remedy) const;
  void refuse() const;  // reports the element as unknown

  // Reports every attribute that was neither read nor ignored as unknown, and every attribute that is given
  // twice.
  void finish() const;

 private:
  friend class Document;
  Element(const Document& document, const void* node, Problems& problems)
      : document_(&document), node_(node), problems_(&problems) {}

  const Document* document_;
  const void* node_;  // pugixml's; its header stays out of this one
  Problems* problems_;
  std::vector<std::string> known_{};  // the attributes that were read or ignored
};

class Document {
 public:
  // Throws InputError if the text is not XML, or is too long or too deeply nested. `file` is its name in
  // messages.
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
