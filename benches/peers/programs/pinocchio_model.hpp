// The exported robot as a model of Pinocchio.
//
// Its joints are a collection of the two kinds that the robots have, instead of the default one of 25 kinds: the compiler takes seconds
// instead of minutes, and has less to dispatch in the code that is timed.
#pragma once
#include "common.hpp"

template <typename S, int O> struct Joints {
  using Scalar = S;
  static constexpr int Options = O;
  using JointModelRZ = pinocchio::JointModelRevoluteTpl<S, O, 2>;
  using JointModelFreeFlyer = pinocchio::JointModelFreeFlyerTpl<S, O>;
  using JointModelVariant = boost::variant<JointModelRZ, JointModelFreeFlyer>;
  using JointDataRZ = pinocchio::JointDataRevoluteTpl<S, O, 2>;
  using JointDataFreeFlyer = pinocchio::JointDataFreeFlyerTpl<S, O>;
  using JointDataVariant = boost::variant<JointDataRZ, JointDataFreeFlyer>;
};
template <typename S> using ModelOf = pinocchio::ModelTpl<S, 0, Joints>;
template <typename S> using DataOf = pinocchio::DataTpl<S, 0, Joints>;

inline ModelOf<double> pinocchio_model(const Robot &r) {
  using namespace pinocchio;
  ModelOf<double> model;
  model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(r.gravity);
  size_t k = 0;
  for (const RobotJoint &j : r.joints) {
    using Rotation = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    SE3 placement(Eigen::Map<const Rotation>(j.rotation), Eigen::Map<const Eigen::Vector3d>(j.position));
    std::string name = "joint" + std::to_string(++k);
    JointIndex id = j.type == "free" ? model.addJoint(j.parent, Joints<double, 0>::JointModelFreeFlyer(), placement, name)
                                     : model.addJoint(j.parent, Joints<double, 0>::JointModelRZ(), placement, name);
    Eigen::Matrix3d inertia;
    const double *i = j.inertia;
    inertia << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
    model.appendBodyToJoint(id, Inertia(j.mass, Eigen::Map<const Eigen::Vector3d>(j.center), inertia), SE3::Identity());
  }
  return model;
}
