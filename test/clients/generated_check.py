"""Checks a photo with the generated client in the first folder: generated_check.py CLIENT URL EMAIL PASSWORD PHOTO."""

import json
import sys
import time
import uuid

_, client, url, email, password, photo = sys.argv
sys.path.insert(0, client)
import vivace  # noqa: E402

configuration = vivace.Configuration(host=url)
with vivace.ApiClient(configuration) as api:
    credentials = vivace.PostAuthorizeAuthRequestCredentials(email=email, password=password)
    session = vivace.AuthorizationApi(api).post_authorize_auth(vivace.PostAuthorizeAuthRequest(credentials=credentials))
    configuration.api_key["token"] = session.access_token

    folders = vivace.FoldersApi(api)
    folder = folders.post_folders()
    vivace.MediaApi(api).post_folders_folder_media(folder.folder_id, selfie=photo)
    quality = vivace.PostInstantFoldersRequestPayloadAnalysesInner(type="quality")
    vivace.AnalysesApi(api).post_folders_folder_analyses(
        folder.folder_id, vivace.PostFoldersFolderAnalysesRequest(analyses=[quality])
    )
    while folder.resolution_status in ("INITIAL", "PROCESSING"):
        time.sleep(0.1)
        folder = folders.get_folders_folder(folder.folder_id, with_analyses=True)
    listed = [item.folder_id for item in folders.get_folders(time_created_min=str(folder.time_created)).items]

    try:
        refusal = folders.get_folders_folder(str(uuid.uuid4()))
    except vivace.ApiException as exception:
        refusal = vivace.Error.from_json(exception.body)

analysis = folder.analyses[0]
print(
    json.dumps(
        {
            "role": session.user.user_type,
            "type": analysis.type,
            "resolution": analysis.resolution_status,
            "score": analysis.results_media[0].results_data.confidence_spoofing,
            "listed": folder.folder_id in listed,
            "refused": refusal.error_code,
        }
    )
)
