import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.File;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiException;
import org.openapitools.client.Configuration;
import org.openapitools.client.api.AuthorizationApi;
import org.openapitools.client.api.FoldersApi;
import org.openapitools.client.api.InstantApi;
import org.openapitools.client.model.PostAuthorizeAuthRequest;
import org.openapitools.client.model.PostAuthorizeAuthRequestCredentials;
import org.openapitools.client.model.PostInstantFoldersRequestPayload;
import org.openapitools.client.model.PostInstantFoldersRequestPayloadAnalysesInner;

/** Checks two photos with the generated client: GeneratedCheck URL EMAIL PASSWORD PHOTO PHOTO. */
public class GeneratedCheck {
  /** The `native` library of the generator sends parts of forms by their `toString`. */
  static class Payload extends PostInstantFoldersRequestPayload {
    @Override
    public String toString() {
      try {
        return Configuration.getDefaultApiClient().getObjectMapper().writeValueAsString(this);
      } catch (JsonProcessingException exception) {
        throw new IllegalStateException(exception);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    var api = Configuration.getDefaultApiClient();
    api.updateBaseUri(args[0]);
    var credentials = new PostAuthorizeAuthRequestCredentials().email(args[1]).password(args[2]);
    var session = new AuthorizationApi(api).postAuthorizeAuth(new PostAuthorizeAuthRequest().credentials(credentials));
    api.setRequestInterceptor((request) -> request.header("X-Forensic-Access-Token", session.getAccessToken()));

    var payload = new Payload();
    payload.addAnalysesItem(
        new PostInstantFoldersRequestPayloadAnalysesInner().type(PostInstantFoldersRequestPayloadAnalysesInner.TypeEnum.QUALITY));
    var folder = new InstantApi(api).postInstantFolders(payload, new File(args[3]), new File(args[4]));
    var analysis = folder.getAnalyses().get(0);

    Object refused = null;
    try {
      new FoldersApi(api).getFoldersFolder(UUID.randomUUID(), null, null, null);
    } catch (ApiException exception) {
      refused =
          api.getObjectMapper().readValue(exception.getResponseBody(), org.openapitools.client.model.Error.class).getErrorCode();
    }
    var found =
        Map.of(
            "role", session.getUser().getUserType().getValue(),
            "type", analysis.getType().getValue(),
            "resolution", analysis.getResolutionStatus().getValue(),
            "score", analysis.getResultsMedia().get(0).getResultsData().getConfidenceSpoofing(),
            "refused", refused);
    System.out.println(api.getObjectMapper().writeValueAsString(found));
  }
}
