/* Torques that hold Panda, without and with 2 kg at its flange. */
#include <armdyn/armdyn.h>

#include <stdio.h>

int main(void) {
    const double q[7] = {0.1, -0.785, 0, -2.356, 0.4, 1.2, 0.785}, centre[3] = {0, 0, 0.05};
    double tau[7], loaded_tau[7];
    ArmdynRobot *robot = NULL, *loaded = NULL;
    ArmdynData *data = NULL, *loaded_data = NULL;

    if (armdyn_robot_load("panda", &robot) != ARMDYN_STATUS_OK ||
        armdyn_robot_with_payload(robot, ARMDYN_TOOL, 2.0, centre, 3, NULL, 0, &loaded) != ARMDYN_STATUS_OK ||
        armdyn_data_create(robot, &data) != ARMDYN_STATUS_OK ||
        armdyn_data_create(loaded, &loaded_data) != ARMDYN_STATUS_OK ||
        armdyn_gravity(data, q, 7, tau, 7) != ARMDYN_STATUS_OK ||
        armdyn_gravity(loaded_data, q, 7, loaded_tau, 7) != ARMDYN_STATUS_OK) {
        fprintf(stderr, "error: %s\n", armdyn_error_message());
        return 1;
    }
    for (size_t v = 1; v < armdyn_robot_nv(robot); ++v) { /* the first axis is vertical */
        printf("%s %8.3f %8.3f N m\n", armdyn_robot_dof_name(robot, v), tau[v], loaded_tau[v]);
    }
    armdyn_data_release(loaded_data);
    armdyn_data_release(data);
    armdyn_robot_release(loaded);
    armdyn_robot_release(robot);
    return 0;
}
