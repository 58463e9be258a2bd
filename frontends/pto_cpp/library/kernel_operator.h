#include "pto/ascendc.h"
