// The exported robot as a model of Pinocchio.
#pragma once
#include "common.hpp"

inline pinocchio::Model pinocchio_model(const Robot &r) {
  using namespace pinocchio;
  Model model;
  model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(r.gravity);
  size_t k = 0;
  for (const RobotJoint &j : r.joints) {
    using Rotation = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    SE3 placement(Eigen::Map<const Rotation>(j.rotation), Eigen::Map<const Eigen::Vector3d>(j.position));
    std::string name = "joint" + std::to_string(++k);
    JointIndex id = j.type == "free" ? model.addJoint(j.parent, JointModelFreeFlyer(), placement, name)
                                     : model.addJoint(j.parent, JointModelRZ(), placement, name);
    Eigen::Matrix3d inertia;
    const double *i = j.inertia;
    inertia << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
    model.appendBodyToJoint(id, Inertia(j.mass, Eigen::Map<const Eigen::Vector3d>(j.center), inertia), SE3::Identity());
  }
  return model;
}
