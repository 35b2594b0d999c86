import android.app.Activity;
import android.app.AlertDialog;
import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.Path;
import android.graphics.SurfaceTexture;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCaptureSession;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import android.hardware.camera2.CaptureRequest;
import android.media.MediaRecorder;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.util.Base64;
import android.view.Surface;
import android.view.TextureView;
import android.view.View;
import android.view.WindowManager;
import android.widget.FrameLayout;
import android.widget.TextView;
import java.io.File;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Scanner;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Films the challenge of a session token with the front camera, seals the clip and sends it to the app's own back end, which adds its access
 * token and passes the body on. The permission for the camera has been given. The result is the answer of the back end.
 */
public final class ClipActivity extends Activity {
  /** GET answers {"session_token": …, "keys": […]}, from /api/authorize/session_token and /api/jwks; POST takes the container. */
  private static final String BACK_END = "https://app.example/liveness";
  private static final int REST_MS = 1000;
  private static final int GESTURE_MS = 2400;
  private static final int APPROACH_MS = 4000;

  private final Handler main = new Handler(Looper.getMainLooper());
  private final JSONArray performed = new JSONArray();
  private TextureView preview;
  private Mask mask;
  private TextView text;
  private CameraDevice camera;
  private CameraCaptureSession session;
  private CaptureRequest.Builder request;
  private MediaRecorder recorder;
  private File clip;
  private JSONObject start;
  private JSONArray steps;
  private long startedMs;
  private boolean isWithoutLight;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    getWindow().addFlags(WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON);
    preview = new TextureView(this);
    mask = new Mask(this);
    text = new TextView(this);
    text.setTextSize(24);
    FrameLayout layout = new FrameLayout(this);
    for (View view : new View[] {preview, mask, text}) layout.addView(view);
    setContentView(layout);
    preview.setSurfaceTextureListener(new TextureView.SurfaceTextureListener() {
      @Override
      public void onSurfaceTextureAvailable(SurfaceTexture texture, int width, int height) {
        inBackground(ClipActivity.this::begin);
      }

      @Override
      public void onSurfaceTextureSizeChanged(SurfaceTexture texture, int width, int height) {}

      @Override
      public boolean onSurfaceTextureDestroyed(SurfaceTexture texture) {
        return true;
      }

      @Override
      public void onSurfaceTextureUpdated(SurfaceTexture texture) {}
    });
  }

  private void begin() throws Exception {
    start = new JSONObject(exchange("GET", null));
    String claims = start.getString("session_token").split("\\.")[1];
    JSONObject token = new JSONObject(new String(Base64.decode(claims, Base64.URL_SAFE), StandardCharsets.UTF_8));
    JSONObject challenge = token.optJSONObject("challenge");
    steps = challenge == null ? new JSONArray() : challenge.getJSONArray("steps");
    main.post(this::warnOfLight);
  }

  /** Some people bear no flashes. */
  private void warnOfLight() {
    if (!steps.toString().contains("\"colours\"")) {
      openCamera();
      return;
    }
    new AlertDialog.Builder(this)
        .setMessage("The screen will light your face in changing colours.")
        .setPositiveButton("Start", (dialog, button) -> openCamera())
        .setNegativeButton("Without light", (dialog, button) -> {
          isWithoutLight = true;
          openCamera();
        })
        .setCancelable(false)
        .show();
  }

  private void openCamera() {
    CameraManager manager = (CameraManager) getSystemService(Context.CAMERA_SERVICE);
    try {
      for (String id : manager.getCameraIdList()) {
        CameraCharacteristics facts = manager.getCameraCharacteristics(id);
        if (facts.get(CameraCharacteristics.LENS_FACING) != CameraCharacteristics.LENS_FACING_FRONT) continue;
        prepareRecorder(facts.get(CameraCharacteristics.SENSOR_ORIENTATION));
        manager.openCamera(id, onCamera, main);
        return;
      }
      fail(new IllegalStateException("no front camera"));
    } catch (Exception error) {
      fail(error);
    }
  }

  /** The picture is not mirrored, and lies as the phone is held: upright. */
  private void prepareRecorder(int orientation) throws Exception {
    clip = File.createTempFile("clip", ".mp4", getCacheDir());
    recorder = new MediaRecorder();
    recorder.setVideoSource(MediaRecorder.VideoSource.SURFACE);
    recorder.setOutputFormat(MediaRecorder.OutputFormat.MPEG_4);
    recorder.setVideoEncoder(MediaRecorder.VideoEncoder.H264);
    recorder.setVideoSize(1280, 720);
    recorder.setVideoFrameRate(30);
    recorder.setVideoEncodingBitRate(4_000_000);
    recorder.setOrientationHint(orientation);
    recorder.setOutputFile(clip.getPath());
    recorder.prepare();
  }

  private final CameraDevice.StateCallback onCamera = new CameraDevice.StateCallback() {
    @Override
    public void onOpened(CameraDevice opened) {
      camera = opened;
      try {
        preview.getSurfaceTexture().setDefaultBufferSize(1280, 720);
        Surface shown = new Surface(preview.getSurfaceTexture());
        request = camera.createCaptureRequest(CameraDevice.TEMPLATE_RECORD);
        request.addTarget(shown);
        request.addTarget(recorder.getSurface());
        camera.createCaptureSession(Arrays.asList(shown, recorder.getSurface()), onSession, main);
      } catch (CameraAccessException error) {
        fail(error);
      }
    }

    @Override
    public void onDisconnected(CameraDevice lost) {
      fail(new IllegalStateException("the camera was taken away"));
    }

    @Override
    public void onError(CameraDevice broken, int code) {
      fail(new IllegalStateException("the camera failed: " + code));
    }
  };

  private final CameraCaptureSession.StateCallback onSession = new CameraCaptureSession.StateCallback() {
    @Override
    public void onConfigured(CameraCaptureSession configured) {
      session = configured;
      try {
        session.setRepeatingRequest(request.build(), null, main);
        recorder.start();
        startedMs = SystemClock.elapsedRealtime();
        say("Look into the camera");
        main.postDelayed(() -> perform(0), REST_MS);
      } catch (Exception error) {
        fail(error);
      }
    }

    @Override
    public void onConfigureFailed(CameraCaptureSession failed) {
      fail(new IllegalStateException("the camera cannot record"));
    }
  };

  private long nowMs() {
    return SystemClock.elapsedRealtime() - startedMs;
  }

  /** Shows one step after the other. Steps of unknown types are left out. */
  private void perform(int index) {
    if (index == steps.length()) {
      finishClip();
      return;
    }
    try {
      JSONObject step = steps.getJSONObject(index);
      String type = step.getString("type");
      JSONObject done = new JSONObject().put("type", type).put("from", nowMs());
      if (type.equals("gesture")) {
        say(describe(step.getString("gesture")));
        done.put("gesture", step.getString("gesture"));
        after(GESTURE_MS, index, done);
      } else if (type.equals("approach")) {
        say("Move closer until your face fills the oval");
        mask.show(Color.BLACK, step.getDouble("from"));
        main.postDelayed(() -> mask.show(Color.BLACK, step.optDouble("to")), APPROACH_MS / 2);
        after(APPROACH_MS, index, done);
      } else if (type.equals("colours") && isWithoutLight) {
        after(0, index, done.put("skipped", true));
      } else if (type.equals("colours")) {
        lockLight();
        say("");
        done.put("shown", new JSONArray());
        light(step.getJSONArray("colours"), 0, index, done);
      } else perform(index + 1);
    } catch (Exception error) {
      fail(error);
    }
  }

  private void after(int ms, int index, JSONObject done) {
    main.postDelayed(() -> {
      try {
        performed.put(done.put("to", nowMs()));
        mask.show(Color.TRANSPARENT, 0);
        perform(index + 1);
      } catch (JSONException error) {
        fail(error);
      }
    }, ms);
  }

  private void light(JSONArray colours, int at, int index, JSONObject done) throws JSONException {
    if (at == colours.length()) {
      after(0, index, done);
      return;
    }
    JSONObject colour = colours.getJSONObject(at);
    mask.show(Color.parseColor(colour.getString("colour")), 0.5);
    // The colour is on the screen with the next frame.
    mask.postOnAnimation(() -> {
      try {
        done.getJSONArray("shown").put(new JSONArray().put(nowMs()).put(colour.getString("colour")));
      } catch (JSONException error) {
        fail(error);
      }
    });
    main.postDelayed(() -> {
      try {
        light(colours, at + 1, index, done);
      } catch (JSONException error) {
        fail(error);
      }
    }, colour.getInt("ms"));
  }

  private void lockLight() throws CameraAccessException {
    request.set(CaptureRequest.CONTROL_AE_LOCK, true);
    request.set(CaptureRequest.CONTROL_AWB_LOCK, true);
    session.setRepeatingRequest(request.build(), null, main);
    WindowManager.LayoutParams window = getWindow().getAttributes();
    window.screenBrightness = 1;
    getWindow().setAttributes(window);
  }

  private static String describe(String gesture) {
    Map<String, String> texts = new HashMap<>();
    texts.put("left", "Turn your head to your left");
    texts.put("right", "Turn your head to your right");
    texts.put("high", "Look up");
    texts.put("down", "Look down");
    texts.put("smile", "Smile");
    return texts.getOrDefault(gesture, gesture);
  }

  private void finishClip() {
    say("One moment");
    recorder.stop();
    close();
    inBackground(() -> {
      byte[] bytes = Files.readAllBytes(clip.toPath());
      clip.delete();
      JSONObject key = sealingKey(start.getJSONArray("keys"));
      String evidence = new JSONObject().put("steps", performed).toString();
      byte[] container = new Sealer(key.getString("kid"), key.getString("x"), key.getString("y"))
          .payload("{\"analyses\":[{\"type\":\"quality\"}]}")
          .medium("video", bytes, Collections.singletonList("video_selfie_blank"), evidence)
          .seal(start.getString("session_token"));
      String answer = exchange("POST", container);
      main.post(() -> {
        setResult(RESULT_OK, getIntent().putExtra("answer", answer));
        finish();
      });
    });
  }

  private static JSONObject sealingKey(JSONArray keys) throws JSONException {
    for (int i = 0; i < keys.length(); i++)
      if (keys.getJSONObject(i).getString("use").equals("enc")) return keys.getJSONObject(i);
    throw new JSONException("no key seals containers");
  }

  private static String exchange(String method, byte[] body) throws Exception {
    HttpURLConnection connection = (HttpURLConnection) new URL(BACK_END).openConnection();
    connection.setRequestMethod(method);
    if (body != null) {
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/octet-stream");
      connection.setFixedLengthStreamingMode(body.length);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
    }
    try (Scanner answer = new Scanner(connection.getInputStream(), "UTF-8").useDelimiter("\\A")) {
      return answer.next();
    } finally {
      connection.disconnect();
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private void inBackground(Work work) {
    new Thread(() -> {
      try {
        work.run();
      } catch (Exception error) {
        main.post(() -> fail(error));
      }
    }).start();
  }

  private void say(String words) {
    text.setText(words);
  }

  private void close() {
    if (camera != null) camera.close();
    camera = null;
    if (recorder != null) recorder.release();
    recorder = null;
  }

  private void fail(Exception error) {
    close();
    if (clip != null) clip.delete();
    setResult(RESULT_CANCELED, getIntent().putExtra("error", String.valueOf(error.getMessage())));
    finish();
  }

  /** Whoever leaves has not been captured. */
  @Override
  protected void onStop() {
    super.onStop();
    if (camera != null) fail(new IllegalStateException("the app was left"));
  }

  /** Covers the preview in one colour, except for an oval. */
  private static final class Mask extends View {
    private final Paint paint = new Paint();
    private int colour = Color.TRANSPARENT;
    private double faceWidth;

    Mask(Context context) {
      super(context);
    }

    /** @param faceWidth width of the oval as a share of the view's shorter side; 0 shows no mask */
    void show(int colour, double faceWidth) {
      this.colour = colour;
      this.faceWidth = faceWidth;
      invalidate();
    }

    @Override
    protected void onDraw(Canvas canvas) {
      if (faceWidth == 0) return;
      float halfWidth = (float) (Math.min(getWidth(), getHeight()) * faceWidth / 2);
      float halfHeight = 1.35f * halfWidth;
      float x = getWidth() / 2f;
      float y = getHeight() / 2f;
      Path around = new Path();
      around.setFillType(Path.FillType.EVEN_ODD);
      around.addRect(0, 0, getWidth(), getHeight(), Path.Direction.CW);
      around.addOval(x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight, Path.Direction.CW);
      paint.setColor(colour);
      canvas.drawPath(around, paint);
    }
  }
}
