import UIKit
import WebKit

/// Shows a capture link, and ends with the return address that the page leads to. Info.plist has NSCameraUsageDescription. iOS 15.
final class LinkViewController: UIViewController, WKUIDelegate, WKNavigationDelegate {
  private let link: URL
  private let onReturn: (URL) -> Void

  init(link: URL, onReturn: @escaping (URL) -> Void) {
    self.link = link
    self.onReturn = onReturn
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }

  override func loadView() {
    let configuration = WKWebViewConfiguration()
    configuration.allowsInlineMediaPlayback = true
    configuration.mediaTypesRequiringUserActionForPlayback = []
    configuration.websiteDataStore = .nonPersistent()
    let web = WKWebView(frame: .zero, configuration: configuration)
    web.uiDelegate = self
    web.navigationDelegate = self
    view = web
    web.load(URLRequest(url: link))
  }

  /// The system has asked the person for the app; the page need not ask again.
  func webView(
    _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
    initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
    decisionHandler: @escaping (WKPermissionDecision) -> Void
  ) {
    decisionHandler(origin.host == link.host && type == .camera ? .grant : .deny)
  }

  func webView(
    _ webView: WKWebView, decidePolicyFor action: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    guard let url = action.request.url, action.targetFrame?.isMainFrame == true, url.host != link.host else {
      return decisionHandler(.allow)
    }
    decisionHandler(.cancel)
    onReturn(url)
  }
}
