/** Why an analysis was not accepted, and what to do, in German. */
import type { Reason } from '../../client/index.ts'

/** The texts of all reasons by their codes. The service itself says them in English. */
export type ReasonTexts = Readonly<Record<Reason['code'], readonly [message: string, advice: string]>>

const again = 'Eine neue Aufnahme mit der Kamera verlangen; geschieht es wieder, ablehnen.'
const look = 'Das Dokument ansehen.'
const compareDates = 'Die Datumsangaben mit dem Dokument vergleichen.'
const session = 'Eine neue Sitzung beginnen und noch einmal aufnehmen.'
const threeSeconds = 'Ein Video von drei bis fünf Sekunden senden.'

export const reasonsDe: ReasonTexts = {
  identity_changes: ['Das Video zeigt nicht durchgehend dieselbe Person.', again],
  picture_moved: ['Das Gesicht bewegt sich wie ein flaches Bild, das vor die Kamera gehalten wird.', again],
  picture_animated: ['Die Bewegung des Gesichts wiederholt sich wie eine Animation.', again],
  picture_bent: ['Das Gesicht bewegt sich wie ein gebogenes oder verzerrtes Bild.', again],
  pictures_blended: ['Das Gesicht verändert sich wie Fotos, die ineinander übergehen.', again],
  light_moved: ['Licht wandert über das Gesicht wie über ein Bild.', again],
  picture_held: [
    'Das Gesicht sieht aus wie ein Ausdruck oder ein Bildschirm und hält still.',
    'Ein Video mit einer Geste verlangen, etwa einer Kopfdrehung.',
  ],
  screen_suspected: ['Das Gesicht sieht aus wie auf einem Bildschirm.', again],
  print_or_screen: [
    'Das Gesicht sieht eher nach einem Ausdruck oder Bildschirm aus als nach einem Menschen vor der Kamera.',
    'Ein Video statt eines Fotos verlangen, oder eine neue Aufnahme mit der Kamera.',
  ],
  movement_doubtful: [
    'Das Gesicht bewegt sich weniger wie ein lebendes, als die Anfrage verlangt.',
    'Ein Video verlangen, in dem die Person blinzelt, lächelt oder den Kopf dreht.',
  ],
  attack_suspected: ['Es gibt Anzeichen eines Täuschungsversuchs.', again],
  gesture_missing: ['Die verlangte Geste ist nicht zu sehen.', 'Noch einmal um die Geste bitten.'],
  challenge_contradicted: ['Die Aufnahme widerspricht den Aufgaben ihrer Sitzung.', session],
  challenge_missed: ['Das Video zeigt nicht, was seine Sitzung verlangt hat.', session],
  different_people: [
    'Die Gesichter gehören verschiedenen Personen.',
    'Ablehnen, oder einen Menschen die Bilder vergleichen lassen.',
  ],
  person_listed: ['Die Person ist in der Sammlung.', 'Das Bild mit dem Foto des Treffers vergleichen.'],
  check_digits_wrong: [
    'Prüfziffern der maschinenlesbaren Zone sind falsch.',
    'Die Zone mit dem Dokument vergleichen; ist sie so gedruckt, ablehnen.',
  ],
  document_expired: ['Das Dokument ist abgelaufen.', 'Ein gültiges Dokument verlangen.'],
  dates_contradict: ['Die Datumsangaben des Dokuments widersprechen sich.', compareDates],
  printed_dates_impossible: ['Ein gedrucktes Datum kann nicht sein.', compareDates],
  fields_contradict: [
    'Gedruckte Seite und maschinenlesbare Zone unterscheiden sich.',
    'Die abweichenden Felder mit dem Dokument vergleichen.',
  ],
  document_contradicts: ['Das Dokument widerspricht sich selbst.', look],
  containers_not_analysed: [
    'Dieser Server prüft keine Medien aus sicheren Containern.',
    'SVC_CONTAINER_ANALYSIS_ENABLED setzen, oder die Medien in einem Formular senden.',
  ],
  similarity_uncertain: [
    'Die Gesichter sind weder klar ähnlich noch klar verschieden.',
    'Einen Menschen die Bilder vergleichen lassen.',
  ],
  similar_person_listed: [
    'Eine Person der Sammlung sieht ähnlich aus.',
    'Einen Menschen das Bild mit dem Foto des Treffers vergleichen lassen.',
  ],
  collection_incomplete: [
    'Einige Fotos der Sammlung konnten nicht verglichen werden.',
    'Später noch einmal suchen, oder die Sammlung durchsehen.',
  ],
  several_documents: [
    'Die Bilder zeigen anscheinend mehr als ein Dokument.',
    'Die Bilder eines einzigen Dokuments senden.',
  ],
  document_unproven: [
    'Keine maschinenlesbare Zone belegt, was gelesen wurde.',
    'Auch die Seite mit der Zone senden, oder einen Menschen das Dokument ansehen lassen.',
  ],
  expiry_unsure: ['Es ist nicht sicher, dass das Dokument noch gilt.', 'Das Ablaufdatum ansehen.'],
  dates_unsure: ['Es ist nicht sicher, dass die Datumsangaben des Dokuments zusammenpassen.', compareDates],
  field_unread: [
    'Ein Feld, das geprüft werden muss, wurde nicht gelesen.',
    'Ein scharfes Bild der Seite senden, auf der es steht.',
  ],
  fields_unsure: [
    'Nicht alles wurde sicher gelesen.',
    'Die unsicheren Felder mit dem Dokument vergleichen, oder ein schärferes Bild senden.',
  ],
  no_face: ['Es wurde kein Gesicht gefunden.', 'Das ganze Gesicht in gutem Licht aufnehmen.'],
  several_faces: ['Es wurde mehr als ein Gesicht gefunden.', 'Eine Person allein aufnehmen.'],
  same_picture: [
    'Dasselbe Bild wurde zweimal gesendet.',
    'Zwei Bilder senden, die getrennt aufgenommen wurden.',
  ],
  no_challenge: [
    'Nichts zeigt, dass das Medium die Aufgaben einer Sitzung erfüllt.',
    'Ein Video mit einem Sitzungstoken aufnehmen und in einem sicheren Container senden.',
  ],
  challenge_unclear: [
    'Das Video lässt nicht erkennen, ob es die Aufgaben seiner Sitzung erfüllt.',
    'Noch einmal aufnehmen: mit weniger Umgebungslicht, näher, wenn es verlangt wird, mit ruhiger Hand und dem ganzen Gesicht im Bild.',
  ],
  photo_not_clip: ['Ein Foto kann nicht zeigen, ob sich das Gesicht bewegt.', threeSeconds],
  face_still: [
    'Das Gesicht hält zu still, um zu erkennen, ob es sich selbst bewegt.',
    'Blinzeln, lächeln oder den Kopf ein wenig drehen.',
  ],
  turned_away: [
    'Zu wenige Bilder des Videos zeigen ein Gesicht von vorn.',
    'Die meiste Zeit in die Kamera sehen.',
  ],
  face_rarely_seen: [
    'Das Gesicht ist in zu wenigen Bildern des Videos zu sehen.',
    'Das Gesicht während des ganzen Videos im Bild halten.',
  ],
  too_few_frames: ['Das Video hat zu wenige Bilder.', threeSeconds],
  face_small_in_clip: [
    'Das Gesicht ist im Video zu klein, um zu erkennen, ob es sich selbst bewegt.',
    'Näher an die Kamera kommen.',
  ],
  too_small_to_compare: [
    'Das Gesicht ist zu klein für einen Vergleich.',
    'Näher an die Kamera kommen; ein Dokument größer scannen.',
  ],
  grey: [
    'Das Bild hat keine Farben.',
    'Ein Farbbild bei Tageslicht oder weißem Licht aufnehmen, ohne Filter.',
  ],
  dark: ['Das Gesicht ist zu dunkel.', 'Zum Licht drehen.'],
  bright: ['Das Gesicht ist überbelichtet.', 'Aus der direkten Sonne oder dem Lampenlicht gehen.'],
  small: [
    'Das Gesicht ist zu klein.',
    'Näher an die Kamera kommen, oder das Bild in seiner ursprünglichen Größe senden.',
  ],
  compressed: [
    'Das Bild ist zu stark komprimiert.',
    'Das Bild senden, wie die Kamera es aufgenommen hat, nicht über einen Messenger.',
  ],
  soft: ['Das Bild ist unscharf.', 'Still halten und die Linse putzen.'],
  noisy: ['Das Bild rauscht.', 'Mehr Licht suchen.'],
  tight: [
    'Das Gesicht füllt das Bild.',
    'Etwas zurückgehen: Platz um den ganzen Kopf lassen und das Bild nicht beschneiden.',
  ],
  no_document: ['Es wurde kein Dokument gefunden.', 'Die ganze Seite aufnehmen, ohne Spiegelung.'],
  no_zone: [
    'Das Dokument hat keine maschinenlesbare Zone, und dieser Server liest keinen gedruckten Text.',
    'Die Seite mit der Zone senden.',
  ],
  clip_not_photo: ['Dokumente werden auf Fotos gelesen, nicht in Videos.', 'Ein Foto des Dokuments senden.'],
  zone_unreadable: [
    'Die maschinenlesbare Zone ist nicht lesbar.',
    'Ein scharfes Bild aufnehmen, das sie ganz zeigt, ohne Spiegelung.',
  ],
  timed_out: ['Die Prüfung hat zu lange gedauert.', 'Noch einmal anfordern.'],
  attempts_failed: [
    'Die Prüfung konnte nicht durchgeführt werden.',
    'Das Medium noch einmal senden; die Ursache steht im Protokoll.',
  ],
  medium_removed: ['Ein Medium der Prüfung gibt es nicht mehr.', 'Noch einmal senden.'],
  collection_removed: ['Die Sammlung der Prüfung gibt es nicht mehr.', 'Eine andere Sammlung nennen.'],
  data_removed: [
    'Personendaten des Vorgangs wurden vor dem Ende der Prüfung gelöscht.',
    'Es ist nichts zu tun: einen neuen Vorgang beginnen.',
  ],
  undecided: ['Die Prüfung kam zu keiner Entscheidung.', 'Die Fehlermeldung nennt den Grund.'],
}
