/* A control loop of 1 kHz allocates nothing: all computations of a workspace, and compiled programs. */
#define _POSIX_C_SOURCE 200809L
#include <armdyn/armdyn.h>

#include "check.h"
#include "count_allocations.h"

#include <stdlib.h>
#include <time.h>

#define N 7
#define TICKS 1000

static void add(struct timespec *t, long nanoseconds) {
    t->tv_nsec += nanoseconds;
    if (t->tv_nsec >= 1000000000L) t->tv_nsec -= 1000000000L, ++t->tv_sec;
}

static double seconds(const struct timespec *from, const struct timespec *to) {
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

int main(void) {
    static const ArmdynQuantity quantities[3] = {ARMDYN_QUANTITY_INVERSE, ARMDYN_QUANTITY_FORWARD, ARMDYN_QUANTITY_MASS};
    ArmdynRobot *robot = NULL;
    ArmdynData *data = NULL;
    ArmdynProgram *programs[3] = {NULL, NULL, NULL};
    ArmdynProgramF32 *single = NULL;
    static double q[N], qd[N], qdd[N], tau[N], matrix[N * N], a[N * N], b[N * N], c[N * N], jacobian[6 * N], wrenches[6 * 64], pose[16];
    static float qf[N], tauf[N];
    const double force[3] = {1, 0, 0}, moment[3] = {0, 0, 1};
    size_t before, frees, joints, k;
    int tick, failed = 0;
    double busy = 0, longest = 0;
    struct timespec next, start, end;
    void *memory;

    CHECK(armdyn_robot_load("panda", &robot) == ARMDYN_STATUS_OK && armdyn_robot_nv(robot) == N);
    before = allocations;
    CHECK(armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);
    CHECK(allocations > before + 10); /* the counter counts what the library allocates, */
    before = allocations;
    memory = malloc(100);
    memory = realloc(memory, 200);
    CHECK(allocations == before + 2 && memory != NULL); /* and what the program does. */
    free(memory);
    for (k = 0; k < 3; ++k) CHECK(armdyn_program_compile(robot, quantities[k], &programs[k]) == ARMDYN_STATUS_OK);
    CHECK(armdyn_program_f32_compile(robot, ARMDYN_QUANTITY_GRAVITY, &single) == ARMDYN_STATUS_OK);
    joints = armdyn_robot_joint_count(robot);
    CHECK(joints <= 64);

    /* The first tick counts too. */
    clock_gettime(CLOCK_MONOTONIC, &next);
    before = allocations, frees = releases;
    for (tick = 0; tick < TICKS; ++tick) {
        add(&next, 1000000);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (k = 0; k < N; ++k) {
            q[k] = sin(0.001 * tick + (double)k) - 0.3, qd[k] = cos(0.001 * tick + (double)k), qdd[k] = -q[k];
            qf[k] = (float)q[k];
        }
        failed += armdyn_rnea(data, q, N, qd, N, qdd, N, tau, N);
        failed += armdyn_aba(data, q, N, qd, N, tau, N, qdd, N);
        failed += armdyn_crba(data, q, N, matrix, N * N);
        failed += armdyn_minverse(data, q, N, matrix, N * N);
        failed += armdyn_coriolis(data, q, N, qd, N, matrix, N * N);
        failed += armdyn_gravity(data, q, N, tau, N);
        failed += armdyn_bias(data, q, N, qd, N, tau, N);
        failed += armdyn_rnea_derivatives(data, q, N, qd, N, qdd, N, a, N * N, b, N * N);
        failed += armdyn_aba_derivatives(data, q, N, qd, N, tau, N, a, N * N, b, N * N, c, N * N);
        failed += armdyn_data_add_wrench(data, ARMDYN_TOOL, force, 3, moment, 3);
        failed += armdyn_joint_wrenches(data, q, N, qd, N, qdd, N, ARMDYN_FRAME_LOCAL, wrenches, 6 * joints);
        failed += armdyn_data_clear_wrenches(data);
        failed += armdyn_kinematics(data, q, N);
        failed += armdyn_pose(data, ARMDYN_TOOL, NULL, 0, pose, 16);
        failed += armdyn_jacobian(data, ARMDYN_TOOL, force, 3, ARMDYN_FRAME_LOCAL_WORLD_ALIGNED, jacobian, 6 * N);
        failed += armdyn_motion(data, q, N, qd, N, qdd, N, ARMDYN_TOOL, NULL, 0, wrenches, 6, wrenches + 6, 6);
        failed += armdyn_robot_integrate(robot, q, N, qd, N, tau, N);
        failed += armdyn_program_call(programs[0], q, N, qd, N, qdd, N, tau, N);
        failed += armdyn_program_call(programs[1], q, N, qd, N, tau, N, qdd, N);
        failed += armdyn_program_call(programs[2], q, N, NULL, 0, NULL, 0, matrix, N * N);
        failed += armdyn_program_f32_call(single, qf, N, NULL, 0, NULL, 0, tauf, N);
        failed += strlen(armdyn_robot_dof_name(robot, 0)) == 0 || armdyn_robot_nv(robot) != N;
        clock_gettime(CLOCK_MONOTONIC, &end);
        busy += seconds(&start, &end);
        if (seconds(&start, &end) > longest) longest = seconds(&start, &end);
    }
    CHECK(allocations == before && releases == frees);
    CHECK(failed == 0);
    printf("%d ticks of 1 ms: %zu allocations; all computations of a tick take %.1f us (longest %.1f us); programs: %s\n", TICKS,
           allocations - before, 1e6 * busy / TICKS, 1e6 * longest, armdyn_program_backend(programs[0]));

    for (k = 0; k < 3; ++k) armdyn_program_release(programs[k]);
    armdyn_program_f32_release(single);
    armdyn_data_release(data);
    armdyn_robot_release(robot);
    return check_result();
}
