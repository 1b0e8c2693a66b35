import CShimOneDNN
import ShimSupport
import Synchronization

/// A network that is ready to be computed, by oneDNN. Any number of tasks run it at once, each in a workspace of its own.
final class Network: Sendable {
  private let shapes: NetworkLayers
  private let handle: Handle
  private let plans: Mutex<[Volume: PlanOnce]>

  /// What was learned, in oneDNN's order; plans add other orders, any number at once.
  private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

  /// A plan that whoever needs it first makes, while others wait for it alone.
  private final class PlanOnce: Sendable {
    let plan: Mutex<Plan?>

    init(_ plan: Plan? = nil) { self.plan = Mutex(plan) }
  }

  /// How it is computed for inputs of one size.
  private final class Plan: @unchecked Sendable {
    let pointer: OpaquePointer
    let input: Volume
    let outputs: [Volume]

    init(_ pointer: OpaquePointer?, of layers: NetworkLayers, _ volumes: [Volume]) throws(ShimError) {
      guard let pointer else { throw .noNetwork("cannot be computed") }
      self.pointer = pointer
      input = volumes[0]
      outputs = layers.outputs.map { volumes[$0] }
    }
    deinit { cs_network_plan_free(pointer) }
  }

  /// - Parameters:
  ///   - layers: the network; the file in it is not kept.
  ///   - input: what mostly comes in; what has another size may come as well.
  /// - Throws: `ShimError` when it cannot be computed for that.
  init(_ layers: NetworkLayers, input: Volume) throws(ShimError) {
    let volumes = try layers.volumes(for: input)
    var (network, plan): (OpaquePointer?, OpaquePointer?)
    let outputs = layers.outputs.map(Int32.init)
    let status = layers.withShims(volumes) { shims in
      layers.withLearnedShims { learned in
        cs_network_create(
          shims, learned, Int32(layers.layers.count), cs_volume(input), outputs, Int32(outputs.count), &network, &plan)
      }
    }
    try check(status)
    guard let network else { throw .noNetwork("cannot be computed") }
    handle = Handle(pointer: network)
    shapes = layers.shapes
    plans = Mutex([input: PlanOnce(try Plan(plan, of: layers, volumes))])
  }

  deinit { cs_network_free(handle.pointer) }

  /// Computes the outputs for a workspace's input.
  /// - Throws: `ShimError` when it cannot be computed for inputs of that size, or memory is missing.
  func run(in workspace: Workspace) throws(ShimError) {
    let plan = try plan(for: workspace.inputVolume)
    try workspace.run(plan.pointer, outputs: plan.outputs)
  }

  private func plan(for input: Volume) throws(ShimError) -> Plan {
    let once = plans.withLock { plans in
      if let known = plans[input] { return known }
      let once = PlanOnce()
      plans[input] = once
      return once
    }
    return try once.plan.withLock { (plan) throws(ShimError) in
      if let plan { return plan }
      let made = try makePlan(for: input)
      plan = made
      return made
    }
  }

  private func makePlan(for input: Volume) throws(ShimError) -> Plan {
    let volumes = try shapes.volumes(for: input)
    var made: OpaquePointer?
    let status = shapes.withShims(volumes) { cs_network_plan_create(handle.pointer, $0, cs_volume(input), &made) }
    try check(status)
    return try Plan(made, of: shapes, volumes)
  }
}

extension cs_volume {
  init(_ volume: Volume) {
    self.init(channels: Int32(volume.channels), height: Int32(volume.height), width: Int32(volume.width))
  }
}
