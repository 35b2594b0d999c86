import AVFoundation
import UIKit

/// Films the challenge of a session token with the front camera, seals the clip and sends it to the app's own back end, which adds its
/// access token and passes the body on. Info.plist has NSCameraUsageDescription, and the permission was given. iOS 15.
final class ClipViewController: UIViewController, AVCaptureFileOutputRecordingDelegate {
  struct Start: Decodable {
    struct Key: Decodable { let kid, x, y, use: String }
    let session_token: String
    let keys: [Key]
  }

  struct Step: Decodable {
    struct Colour: Decodable { let colour: String; let ms: UInt64 }
    let type: String
    let gesture: String?
    let from, to: CGFloat?
    let colours: [Colour]?
  }

  private struct Claims: Decodable {
    struct Challenge: Decodable { let steps: [Step] }
    let challenge: Challenge?
  }

  /// GET answers `Start`, from /api/authorize/session_token and /api/jwks; POST takes the container.
  private let backEnd = URL(string: "https://app.example/liveness")!
  private let onEnd: (Result<Data, Error>) -> Void
  private let session = AVCaptureSession()
  private let output = AVCaptureMovieFileOutput()
  private let mask = CAShapeLayer()
  private let label = UILabel()
  private var camera: AVCaptureDevice?
  private var start: Start?
  private var performed: [[String: Any]] = []
  private var startedAt: CFTimeInterval = 0
  private var isWithoutLight = false
  private var brightness = UIScreen.main.brightness

  init(onEnd: @escaping (Result<Data, Error>) -> Void) {
    self.onEnd = onEnd
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    let preview = AVCaptureVideoPreviewLayer(session: session)
    preview.frame = view.bounds
    preview.videoGravity = .resizeAspectFill
    mask.fillRule = .evenOdd
    label.frame = view.bounds.insetBy(dx: 24, dy: 60)
    label.numberOfLines = 0
    label.textColor = .white
    view.layer.addSublayer(preview)
    view.layer.addSublayer(mask)
    view.addSubview(label)
    Task { await run { try await self.begin() } }
  }

  private func run(_ work: () async throws -> Void) async {
    do { try await work() } catch { end(.failure(error)) }
  }

  private func begin() async throws {
    let (data, _) = try await URLSession.shared.data(from: backEnd)
    let start = try JSONDecoder().decode(Start.self, from: data)
    self.start = start
    let steps = try readSteps(of: start.session_token)
    if steps.contains(where: { $0.type == "colours" }) { isWithoutLight = await asksForNoLight() }
    try openCamera()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    output.startRecording(to: file, recordingDelegate: self)
    while !output.isRecording { try await pause(10) }
    startedAt = CACurrentMediaTime()
    label.text = "Look into the camera"
    try await pause(1000)
    for step in steps { try await perform(step) }
    label.text = "One moment"
    output.stopRecording()
  }

  private func readSteps(of token: String) throws -> [Step] {
    var claims = token.split(separator: ".")[1]
      .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    claims += String(repeating: "=", count: (4 - claims.count % 4) % 4)
    guard let json = Data(base64Encoded: claims) else { throw Sealer.Failure.badKey }
    return try JSONDecoder().decode(Claims.self, from: json).challenge?.steps ?? []
  }

  /// Some people bear no flashes.
  private func asksForNoLight() async -> Bool {
    await withCheckedContinuation { answer in
      let alert = UIAlertController(
        title: nil, message: "The screen will light your face in changing colours.", preferredStyle: .alert)
      alert.addAction(UIAlertAction(title: "Start", style: .default) { _ in answer.resume(returning: false) })
      alert.addAction(UIAlertAction(title: "Without light", style: .default) { _ in answer.resume(returning: true) })
      present(alert, animated: true)
    }
  }

  /// The file is not mirrored, whatever the preview shows.
  private func openCamera() throws {
    guard let front = AVCaptureDevice.default(.builtInWideAngleCamera, for: .video, position: .front)
    else { throw AVError(.deviceNotConnected) }
    camera = front
    session.sessionPreset = .hd1280x720
    session.addInput(try AVCaptureDeviceInput(device: front))
    session.addOutput(output)
    if let connection = output.connection(with: .video) {
      connection.videoOrientation = .portrait
      connection.isVideoMirrored = false
      output.setOutputSettings([AVVideoCodecKey: AVVideoCodecType.h264], for: connection)
    }
    session.startRunning()
  }

  private var nowMs: Int { Int((CACurrentMediaTime() - startedAt) * 1000) }

  private func pause(_ ms: UInt64) async throws { try await Task.sleep(nanoseconds: ms * 1_000_000) }

  private func perform(_ step: Step) async throws {
    var done: [String: Any] = ["type": step.type, "from": nowMs]
    switch step.type {
    case "gesture":
      done["gesture"] = step.gesture
      label.text = texts[step.gesture ?? ""] ?? step.gesture
      try await pause(2400)
    case "approach":
      label.text = "Move closer until your face fills the oval"
      for width in [step.from, step.to] {
        show(.black, faceWidth: width ?? 0.5)
        try await pause(2000)
      }
    case "colours" where isWithoutLight:
      done["skipped"] = true
    case "colours":
      label.text = nil
      try lockLight()
      var shown: [[Any]] = []
      for colour in step.colours ?? [] {
        show(UIColor(hex: colour.colour), faceWidth: 0.5)
        try await pause(16)
        shown.append([nowMs, colour.colour])
        try await pause(colour.ms - 16)
      }
      done["shown"] = shown
      UIScreen.main.brightness = brightness
    default:
      return
    }
    mask.path = nil
    done["to"] = nowMs
    performed.append(done)
  }

  private let texts = [
    "left": "Turn your head to your left", "right": "Turn your head to your right", "high": "Look up",
    "down": "Look down", "smile": "Smile",
  ]

  /// Covers the preview in one colour, except for an oval of this share of its shorter side.
  private func show(_ colour: UIColor, faceWidth: CGFloat) {
    let width = min(view.bounds.width, view.bounds.height) * faceWidth
    let oval = CGRect(x: view.bounds.midX - width / 2, y: view.bounds.midY - 0.675 * width, width: width, height: 1.35 * width)
    let path = UIBezierPath(rect: view.bounds)
    path.append(UIBezierPath(ovalIn: oval))
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    mask.path = path.cgPath
    mask.fillColor = colour.cgColor
    CATransaction.commit()
  }

  private func lockLight() throws {
    UIScreen.main.brightness = 1
    guard let camera = camera else { return }
    try camera.lockForConfiguration()
    if camera.isExposureModeSupported(.locked) { camera.exposureMode = .locked }
    if camera.isWhiteBalanceModeSupported(.locked) { camera.whiteBalanceMode = .locked }
    camera.unlockForConfiguration()
  }

  func fileOutput(
    _ output: AVCaptureFileOutput, didFinishRecordingTo file: URL, from connections: [AVCaptureConnection],
    error: Error?
  ) {
    session.stopRunning()
    Task { await run { try await self.send(file, error) } }
  }

  private func send(_ file: URL, _ error: Error?) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    if let error = error { throw error }
    guard let start = start, let key = start.keys.first(where: { $0.use == "enc" }) else { throw Sealer.Failure.badKey }
    var sealer = try Sealer(keyId: key.kid, x: key.x, y: key.y)
    try sealer.add(payload: ["analyses": [["type": "quality"]]])
    try sealer.add(
      medium: Data(contentsOf: file), name: "video", tags: ["video_selfie_blank"], evidence: ["steps": performed])
    var request = URLRequest(url: backEnd)
    request.httpMethod = "POST"
    request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    let container = try sealer.seal(sessionToken: start.session_token)
    let (answer, _) = try await URLSession.shared.upload(for: request, from: container)
    end(.success(answer))
  }

  private func end(_ result: Result<Data, Error>) {
    UIScreen.main.brightness = brightness
    session.stopRunning()
    onEnd(result)
  }
}

extension UIColor {
  /// - Parameter hex: `#rrggbb`, sRGB
  fileprivate convenience init(hex: String) {
    let value = UInt32(hex.dropFirst(), radix: 16) ?? 0
    let part = { (shift: UInt32) in CGFloat(value >> shift & 0xff) / 255 }
    self.init(red: part(16), green: part(8), blue: part(0), alpha: 1)
  }
}
