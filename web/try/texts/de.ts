/** The German texts, by the English ones. */
import { sharedDe } from '../../texts/shared-de.ts'

export const de = {
  ...sharedDe,
  'Try it · Vivace': 'Ausprobieren · Vivace',
  Capture: 'Aufnahme',
  Console: 'Konsole',
  'Is it a live person?': 'Ist es ein echter Mensch?',
  'Is it the same person?': 'Ist es dieselbe Person?',
  'Add a selfie, and an ID to compare the faces. The pictures go to this server and nowhere else.':
    'Wählen Sie ein Selfie, und wenn Sie mögen einen Ausweis, um die Gesichter zu vergleichen. Die Bilder gehen an diesen Server und sonst nirgendwohin.',
  'Show the lines of the face': 'Linien auf dem Gesicht zeigen',
  Selfie: 'Selfie',
  'A photo, or a clip of a few seconds.': 'Ein Foto, oder ein Video von wenigen Sekunden.',
  ID: 'Ausweis',
  'The ID shows {count} faces: the largest was compared.':
    'Der Ausweis zeigt {count} Gesichter: Verglichen wurde das größte.',
  'Sign in to compare a clip with a photo.':
    'Melden Sie sich an, um ein Video mit einem Foto zu vergleichen.',
  'ID, if you like': 'Ausweis, wenn Sie mögen',
  'A photo of a document, which is read too, or another photo of the person.':
    'Das Foto eines Dokuments, das auch gelesen wird, oder ein anderes Foto der Person.',
  'A photo of a document or of the person. A document is read too once somebody has signed in.':
    'Ein Foto eines Dokuments oder der Person. Ein Dokument wird auch gelesen, sobald jemand angemeldet ist.',
  'Samples:': 'Zum Ausprobieren:',
  'Print or screen': 'Druck oder Bildschirm',
  'No face': 'Kein Gesicht',
  'Several faces': 'Mehrere Gesichter',
  'Too dark': 'Zu dunkel',
  'Expired document': 'Abgelaufenes Dokument',
  'Add a selfie to compare the faces, or sign in to have the document read.':
    'Fügen Sie ein Selfie hinzu, um die Gesichter zu vergleichen, oder melden Sie sich an, um das Dokument lesen zu lassen.',
  'Choose a file': 'Datei wählen',
  'Use the camera': 'Kamera benutzen',
  Replace: 'Ersetzen',
  'Opening…': 'Wird geöffnet…',
  'No preview of this file in the browser': 'Der Browser zeigt keine Vorschau dieser Datei',
  'Faces found: {count}': 'Gefundene Gesichter: {count}',
  Camera: 'Kamera',
  'Picture of the camera': 'Bild der Kamera',
  'Starting the camera…': 'Die Kamera startet…',
  'Take a photo': 'Foto aufnehmen',
  'Record {seconds} seconds': '{seconds} Sekunden aufnehmen',
  Recording: 'Aufnahme läuft',
  'Recording…': 'Aufnahme läuft…',
  'Look into the camera. For a clip, blink or smile while it records.':
    'Schauen Sie in die Kamera. Für ein Video blinzeln oder lächeln Sie während der Aufnahme.',
  'The camera stopped. Close this, and try again.':
    'Die Kamera hat aufgehört. Schließen Sie dies, und versuchen Sie es erneut.',
  'The browser does not allow this page to use the camera. Allow it in the address bar, or choose a file.':
    'Der Browser erlaubt dieser Seite die Kamera nicht. Erlauben Sie sie in der Adressleiste, oder wählen Sie eine Datei.',
  'No camera can be used. Choose a file instead.':
    'Es ist keine Kamera verfügbar. Wählen Sie stattdessen eine Datei.',
  'Checking…': 'Wird geprüft…',
  'Progress of the check': 'Fortschritt der Prüfung',
  'Sending, about {seconds} s left': 'Wird gesendet, noch etwa {seconds} s',
  'Checking, about {seconds} s left': 'Wird geprüft, noch etwa {seconds} s',
  'This takes longer than expected…': 'Es dauert länger als erwartet…',
  'Sending, {percent} %': 'Wird gesendet, {percent} %',
  'Reading the document…': 'Das Dokument wird gelesen…',
  'A live person': 'Ein echter Mensch',
  'No signs of a print, a screen or a moved picture.':
    'Keine Anzeichen für einen Druck, einen Bildschirm oder ein bewegtes Bild.',
  'Barely a live person': 'Knapp bestanden: ein echter Mensch',
  'It passes, but its attack score of {score} is near {threshold}, from which on it would not. A sharper picture in even light tells more.':
    'Die Prüfung ist bestanden, aber der Angriffswert von {score} liegt nahe bei {threshold}, ab dem sie es nicht wäre. Ein schärferes Bild in gleichmäßigem Licht sagt mehr.',
  'Probably not live': 'Wahrscheinlich nicht echt',
  'Could not be decided': 'Nicht zu entscheiden',
  'Not checked': 'Nicht geprüft',
  'The answer has no liveness analysis.': 'Die Antwort enthält keine Lebenderkennung.',
  'The selfie and the ID show one face.': 'Selfie und Ausweis zeigen dasselbe Gesicht.',
  'Different people': 'Verschiedene Personen',
  'The faces of the selfie and the ID do not match.':
    'Die Gesichter auf Selfie und Ausweis stimmen nicht überein.',
  'Not certain': 'Nicht sicher',
  'The faces are neither clearly alike nor clearly different: a person should compare them.':
    'Die Gesichter sind weder deutlich gleich noch deutlich verschieden: Ein Mensch sollte sie vergleichen.',
  'Could not be compared': 'Nicht zu vergleichen',
  'Could not be checked': 'Nicht zu prüfen',
  'No connection': 'Keine Verbindung',
  'Please wait': 'Bitte warten',
  Cancelled: 'Abgebrochen',
  'The check was cancelled before it was done.': 'Die Prüfung wurde abgebrochen, bevor sie fertig war.',
  'The server has not answered within {minutes} minutes. Try again later.':
    'Der Server hat innerhalb von {minutes} Minuten nicht geantwortet. Versuchen Sie es später erneut.',
  'The server does not answer. Check that it is running, then try again.':
    'Der Server antwortet nicht. Prüfen Sie, ob er läuft, und versuchen Sie es erneut.',
  'The server answered with status {status}, and no JSON.':
    'Der Server antwortete mit Status {status} und ohne JSON.',
  'The server is busy. Try again in a moment.':
    'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  ms: 'ms',
  'The server is busy. Try again in {seconds} s.':
    'Der Server ist ausgelastet. Versuchen Sie es in {seconds} s erneut.',
  'Compared without signing in, by Lite.': 'Ohne Anmeldung verglichen, durch Lite.',
  'Sign in to see more of the comparison, and to have a document read':
    'Anmelden, um mehr vom Vergleich zu sehen und ein Dokument lesen zu lassen',
  'Signed in, the page shows the faces, landmarks and thresholds of both pictures, and what a document says.':
    'Nach der Anmeldung zeigt die Seite Gesichter, Punkte und Schwellen beider Bilder, und was ein Dokument sagt.',
  'This server checks pictures for its users.': 'Dieser Server prüft Bilder für seine Benutzer.',
  'Code of your authenticator app': 'Code Ihrer Authentifizierungs-App',
  'A token is needed': 'Ein Token ist nötig',
  'This server answers to callers with a token.': 'Dieser Server antwortet Aufrufern mit einem Token.',
  'The token was refused: {refusal}.': 'Das Token wurde abgelehnt: {refusal}.',
  'It has no users of its own: it takes the tokens of a whole service that has the same secret key.':
    'Er hat keine eigenen Benutzer: Er nimmt die Tokens eines vollständigen Dienstes mit demselben geheimen Schlüssel.',
  'The token stays in this page and is forgotten with it.':
    'Das Token bleibt in dieser Seite und wird mit ihr vergessen.',
  'Token (X-Forensic-Access-Token)': 'Token (X-Forensic-Access-Token)',
  'Use it': 'Verwenden',
  'Forget the token': 'Token vergessen',
  'A token has Latin letters, digits and signs only, without spaces.':
    'Ein Token hat nur lateinische Buchstaben, Ziffern und Zeichen, ohne Leerzeichen.',
  '{profile} networks': 'Netze: {profile}',
  '{profile} networks, low assurance': 'Netze: {profile}, weniger zuverlässig',
  'Sandbox: nothing was checked': 'Sandbox: nichts wurde geprüft',
  'Signs of an attack': 'Anzeichen eines Angriffs',
  'Passes below {threshold}. The highest counts.': 'Besteht unter {threshold}. Der höchste Wert zählt.',
  'A clip also shows movement and identity.': 'Ein Video zeigt auch Bewegung und Identität.',
  'Match of the faces': 'Übereinstimmung der Gesichter',
  'From 0, two people, to 1, one person.': 'Von 0, zwei Personen, bis 1, dieselbe Person.',
  'Selfie and ID': 'Selfie und Ausweis',
  'The same from your code': 'Dasselbe aus Ihrem Programm',
  'Copy as curl': 'Als curl kopieren',
  'Copy JSON': 'JSON kopieren',
  Copied: 'Kopiert',
  'Selected: copy it with the keyboard': 'Markiert: mit der Tastatur kopieren',
  Command: 'Befehl',
  Answer: 'Antwort',
  Frames: 'Einzelbilder',
  'The browser cannot show these frames.': 'Der Browser kann diese Bilder nicht zeigen.',
  'Key frames with their attack scores': 'Ausgewählte Einzelbilder mit ihren Angriffswerten',
  'Below each frame its attack score: good is below {threshold}.':
    'Unter jedem Einzelbild sein Angriffswert: Gut ist unter {threshold}.',
  'A face in {seen} of {count} frames.': 'Ein Gesicht in {seen} von {count} Einzelbildern.',
  'Quality of the selfie': 'Qualität des Selfies',
  'Head turned {yaw}, raised {pitch}, tilted {roll}.':
    'Kopf gedreht um {yaw}, gehoben um {pitch}, geneigt um {roll}.',
  View: 'Ausschnitt',
  Live: 'Echt',
  Weight: 'Gewicht',
  'Screen: 1 is a screen.': 'Bildschirm: 1 ist ein Bildschirm.',
  'Sharpness adds {softness} to the log odds of an attack: below 0 is good. All are multiplied by the reliability of the sample, {percent} %.':
    'Die Schärfe ändert die Log-Odds eines Angriffs um {softness}: Unter 0 ist gut. Alles wird mit der Verlässlichkeit der Aufnahme multipliziert, {percent} %.',
  '{ms} ms from request to answer.': '{ms} ms von der Anfrage bis zur Antwort.',
  Decode: 'Dekodieren',
  'Find faces': 'Gesichter finden',
  Landmarks: 'Gesichtspunkte',
  Quality: 'Qualität',
  Template: 'Biometrisches Template',
  Pictures: 'Bilder',
  'The document passes.': 'Das Dokument besteht.',
  'The document does not pass.': 'Das Dokument besteht nicht.',
  'Somebody must look at the document.': 'Jemand muss das Dokument ansehen.',
  'The check digits are wrong.': 'Die Prüfziffern sind falsch.',
  'The document has expired.': 'Das Dokument ist abgelaufen.',
  'The dates contradict each other.': 'Die Datumsangaben widersprechen einander.',
  'The page contradicts the machine-readable zone.': 'Die Seite widerspricht der maschinenlesbaren Zone.',
  'This may be two documents.': 'Das können zwei Dokumente sein.',
  'Look at: {fields}.': 'Ansehen: {fields}.',
  'It has no machine-readable zone that could prove its fields.':
    'Es hat keine maschinenlesbare Zone, die seine Felder belegen könnte.',
  'Whether the document is genuine is not examined.': 'Ob das Dokument echt ist, wird nicht untersucht.',
} as const satisfies Readonly<Record<string, string>>

export type Text = keyof typeof de
