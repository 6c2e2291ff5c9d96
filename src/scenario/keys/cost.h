#pragma once
// The keys of "cost".

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

template <class Visit>
void keys_of(Visit& visit, cost::Price& price) {
  visit(optional("rent",
                 "the price of an hour of a machine, \"98.32 USD/h\", of a chip, "
                 "\"4.10 USD/chip-hour\", or of a TPU slice, \"80 USD/slice-hour\""),
        price.rent);
  visit(optional("terms", "of the rent: on_demand, committed or spot"), price.terms);
  visit(optional("purchase", "what a machine costs to buy, as \"250000 USD\""), price.purchase);
  visit.exactly_one({"rent", "purchase"});
  visit(optional("per", "what the purchase buys: a machine, a chip or a slice"), price.per);
  visit(optional("lifetime",
                 "of a purchase: how long it is used, as \"4 years\" of 365 days; required with it"),
        price.lifetime);
  visit(Key{.name = "utilization",
            .meaning = "of a purchase: the share of its lifetime in which jobs run, above 0",
            .at_least = 0,
            .at_most = 1},
        price.utilization);
  visit(Key{.name = "pue",
            .meaning = "of a purchase: power usage effectiveness, all power of the data centre over that of "
                       "its computers",
            .at_least = 1,
            .at_most = 10},
        price.overhead);
  visit(optional("electricity",
                 "of a purchase: the price of a kilowatt hour, \"0.12 USD/kWh\"; electricity is not counted "
                 "where absent"),
        price.energy);
  visit(
      optional("power",
               "of a purchase: what it draws under load, as \"10.2 kW\"; the published power of its devices "
               "and CPUs where absent"),
      price.power);
  visit(optional("date", "the day on which the price was valid, as \"2026-11-23\""), price.date);
  visit(optional("source", "where the price is from"), price.source);
}

template <class Visit>
void keys_of(Visit& visit, FurtherHosts& hosts) {
  visit(Key{.name = "count",
            .meaning = "how many hosts",
            .required = true,
            .at_least = 1,
            .at_most = json::most},
        hosts.count);
  visit(required("price", "the price of an hour of one host, \"0.80 USD/h\""), hosts.price);
}

template <class Visit>
void keys_of(Visit& visit, Expenses& cost) {
  visit(
      optional("prices",
               "by platform, its price in one line, \"98.32 USD/h, spot, 2026-11-23, where it is from\", or "
               "an object; no price is shipped"),
      cost.prices);
  visit(Key{.name = "spares",
            .meaning = "machines that are paid for and wait for a failure; slices of a TPU",
            .at_least = 0,
            .at_most = 1'000'000},
        cost.spares);
  visit(optional("hosts",
                 "hosts beside the machines of the platform, for parameter servers, a coordinator or "
                 "evaluators"),
        cost.hosts);
}

}  // namespace wt::scenario
