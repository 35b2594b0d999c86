import android.Manifest;
import android.app.Activity;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.net.Uri;
import android.os.Bundle;
import android.webkit.PermissionRequest;
import android.webkit.WebChromeClient;
import android.webkit.WebResourceRequest;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import java.util.Arrays;

/** Shows a capture link, which is the intent's data, and ends with the return address that the page leads to. */
public final class LinkActivity extends Activity {
  private static final String[] CAMERA = {PermissionRequest.RESOURCE_VIDEO_CAPTURE};
  private WebView view;
  private PermissionRequest waiting;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    Uri link = getIntent().getData();
    view = new WebView(this);
    view.getSettings().setJavaScriptEnabled(true);
    view.getSettings().setDomStorageEnabled(true);
    view.getSettings().setMediaPlaybackRequiresUserGesture(false);
    view.setWebChromeClient(new WebChromeClient() {
      @Override
      public void onPermissionRequest(PermissionRequest request) {
        boolean isOurs = link.getHost().equals(request.getOrigin().getHost());
        if (isOurs && Arrays.equals(request.getResources(), CAMERA)) grantOrAsk(request);
        else request.deny();
      }
    });
    view.setWebViewClient(new WebViewClient() {
      @Override
      public boolean shouldOverrideUrlLoading(WebView from, WebResourceRequest request) {
        if (link.getHost().equals(request.getUrl().getHost())) return false;
        setResult(RESULT_OK, new Intent().setData(request.getUrl()));
        finish();
        return true;
      }
    });
    setContentView(view);
    view.loadUrl(link.toString());
  }

  private void grantOrAsk(PermissionRequest request) {
    if (checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED) request.grant(CAMERA);
    else {
      waiting = request;
      requestPermissions(new String[] {Manifest.permission.CAMERA}, 1);
    }
  }

  /** If it is denied the page says what to do. */
  @Override
  public void onRequestPermissionsResult(int code, String[] permissions, int[] results) {
    if (waiting == null) return;
    if (results.length > 0 && results[0] == PackageManager.PERMISSION_GRANTED) waiting.grant(CAMERA);
    else waiting.deny();
    waiting = null;
  }

  @Override
  protected void onDestroy() {
    view.destroy();
    super.onDestroy();
  }
}
