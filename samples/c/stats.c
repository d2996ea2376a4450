// Calls what `irrewrite -rules fusion.rules -emit c -header samples/stats.ir` emits.
#include "stats.h"

int main(void) {
    double xs[] = {1.0, -2.0, 3.0};
    const ir_tuple2_f64_i64 result = ir_stats((ir_array_f64){xs, {3}, NULL});
    printf("%g %lld\n", result.f0, (long long)result.f1);
    return 0;
}
