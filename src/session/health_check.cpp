#include "session/health_check.h"

namespace wt::session {

timing::HealthCheck health_check_of(model::Semantics semantics) {
  switch (semantics) {
    case model::Semantics::tf20:
      return timing::HealthCheck::probes;
    case model::Semantics::keras2:
      return timing::HealthCheck::heartbeats;
    case model::Semantics::keras3:
      break;
  }
  return timing::HealthCheck::unhealthy;
}

}  // namespace wt::session
