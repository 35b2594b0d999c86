/** Why an analysis was not accepted, and what to do, in Spanish. */
import type { ReasonTexts } from './reasons-de.ts'

const again = 'Pida otra captura con la cámara; si vuelve a ocurrir, rechace.'
const look = 'Mire el documento.'
const compareDates = 'Compare las fechas con el documento.'
const session = 'Empiece otra sesión y grabe de nuevo.'
const threeSeconds = 'Envíe un vídeo de tres a cinco segundos.'

export const reasonsEs: ReasonTexts = {
  identity_changes: ['El vídeo no muestra a la misma persona de principio a fin.', again],
  picture_moved: ['La cara se mueve como una imagen plana delante de la cámara.', again],
  picture_animated: ['El movimiento de la cara se repite como una animación.', again],
  picture_bent: ['La cara se mueve como una imagen doblada o deformada.', again],
  pictures_blended: ['La cara cambia como fotos que se funden una con otra.', again],
  light_moved: ['La luz pasa por la cara como por una imagen.', again],
  picture_held: [
    'La cara parece una impresión o una pantalla y no se mueve.',
    'Pida un vídeo con un gesto, por ejemplo girar la cabeza.',
  ],
  screen_suspected: ['La cara parece estar en una pantalla.', again],
  print_or_screen: [
    'La cara parece una impresión o una pantalla más que una persona delante de la cámara.',
    'Pida un vídeo en lugar de una foto, u otra captura con la cámara.',
  ],
  movement_doubtful: [
    'La cara se mueve menos como una viva de lo que pide la solicitud.',
    'Pida un vídeo en el que la persona parpadee, sonría o gire la cabeza.',
  ],
  attack_suspected: ['Hay señales de un intento de engaño.', again],
  gesture_missing: ['No se ve el gesto pedido.', 'Pida el gesto otra vez.'],
  challenge_contradicted: ['La grabación contradice lo que pidió su sesión.', session],
  challenge_missed: ['El vídeo no muestra lo que pidió su sesión.', session],
  different_people: [
    'Las caras son de personas distintas.',
    'Rechace, o haga que una persona compare las imágenes.',
  ],
  person_listed: ['La persona está en la colección.', 'Compare la imagen con la foto encontrada.'],
  check_digits_wrong: [
    'Los dígitos de control de la zona de lectura mecánica son incorrectos.',
    'Compare la zona con el documento; si está impresa así, rechace.',
  ],
  document_expired: ['El documento ha caducado.', 'Pida un documento vigente.'],
  dates_contradict: ['Las fechas del documento se contradicen.', compareDates],
  printed_dates_impossible: ['Una fecha impresa es imposible.', compareDates],
  fields_contradict: [
    'La página impresa y la zona de lectura mecánica no coinciden.',
    'Compare con el documento los campos que no coinciden.',
  ],
  document_contradicts: ['El documento se contradice.', look],
  containers_not_analysed: [
    'Este servidor no analiza medios de contenedores seguros.',
    'Active SVC_CONTAINER_ANALYSIS_ENABLED, o envíe los medios en un formulario.',
  ],
  similarity_uncertain: [
    'Las caras no son ni claramente parecidas ni claramente distintas.',
    'Haga que una persona compare las imágenes.',
  ],
  similar_person_listed: [
    'Una persona de la colección se parece.',
    'Haga que una persona compare la imagen con la foto encontrada.',
  ],
  collection_incomplete: [
    'Algunas fotos de la colección no se pudieron comparar.',
    'Busque de nuevo más tarde, o revise la colección.',
  ],
  several_documents: [
    'Las imágenes parecen mostrar más de un documento.',
    'Envíe las imágenes de un solo documento.',
  ],
  document_unproven: [
    'Ninguna zona de lectura mecánica prueba lo que se leyó.',
    'Envíe también el lado con la zona, o haga que una persona mire el documento.',
  ],
  expiry_unsure: ['No es seguro que el documento siga vigente.', 'Mire su fecha de caducidad.'],
  dates_unsure: ['No es seguro que las fechas del documento concuerden.', compareDates],
  field_unread: [
    'No se leyó un campo que hay que comprobar.',
    'Envíe una imagen nítida del lado que lo tiene.',
  ],
  fields_unsure: [
    'No todo se leyó con certeza.',
    'Compare con el documento los campos dudosos, o envíe una imagen más nítida.',
  ],
  no_face: ['No se encontró ninguna cara.', 'Tome una imagen de toda la cara con buena luz.'],
  several_faces: ['Se encontró más de una cara.', 'Tome una imagen de una sola persona.'],
  same_picture: ['La misma imagen se envió dos veces.', 'Envíe dos imágenes tomadas por separado.'],
  no_challenge: [
    'Nada muestra que el medio responda a lo que pide una sesión.',
    'Grabe un vídeo con un token de sesión y envíelo en un contenedor seguro.',
  ],
  challenge_unclear: [
    'El vídeo no permite saber si responde a lo que pidió su sesión.',
    'Grabe de nuevo: con menos luz ambiente, más cerca cuando se pida, con la mano quieta y toda la cara en la imagen.',
  ],
  photo_not_clip: ['Una foto no puede mostrar si la cara se mueve.', threeSeconds],
  face_still: [
    'La cara está demasiado quieta para saber si se mueve por sí misma.',
    'Parpadee, sonría o gire un poco la cabeza.',
  ],
  turned_away: [
    'Muy pocos fotogramas del vídeo muestran una cara de frente.',
    'Mire a la cámara durante la mayor parte del vídeo.',
  ],
  face_rarely_seen: [
    'La cara se ve en muy pocos fotogramas del vídeo.',
    'Mantenga la cara en la imagen durante todo el vídeo.',
  ],
  too_few_frames: ['El vídeo tiene muy pocos fotogramas.', threeSeconds],
  face_small_in_clip: [
    'La cara es demasiado pequeña en el vídeo para saber si se mueve por sí misma.',
    'Acérquese a la cámara.',
  ],
  too_small_to_compare: [
    'La cara es demasiado pequeña para compararla.',
    'Acérquese a la cámara; escanee el documento más grande.',
  ],
  grey: ['La imagen no tiene colores.', 'Tome una imagen en color con luz de día o blanca, sin filtro.'],
  dark: ['La cara está demasiado oscura.', 'Gírese hacia una luz.'],
  bright: ['La cara está sobreexpuesta.', 'Salga del sol directo o de la luz de la lámpara.'],
  small: ['La cara es demasiado pequeña.', 'Acérquese a la cámara, o envíe la imagen en su tamaño original.'],
  compressed: [
    'La imagen está demasiado comprimida.',
    'Envíe la imagen tal como la tomó la cámara, no por mensajería.',
  ],
  soft: ['La imagen está borrosa.', 'No se mueva y limpie la lente.'],
  noisy: ['La imagen tiene mucho ruido.', 'Busque más luz.'],
  tight: [
    'La cara llena la imagen.',
    'Aléjese un poco: deje espacio alrededor de toda la cabeza y no recorte la imagen.',
  ],
  no_document: ['No se encontró ningún documento.', 'Tome una imagen de toda la página, sin reflejos.'],
  no_zone: [
    'El documento no tiene zona de lectura mecánica, y este servidor no lee texto impreso.',
    'Envíe el lado con la zona.',
  ],
  clip_not_photo: ['Los documentos se leen en fotos, no en vídeos.', 'Envíe una foto del documento.'],
  zone_unreadable: [
    'La zona de lectura mecánica no se puede leer.',
    'Tome una imagen nítida que la muestre entera, sin reflejos.',
  ],
  timed_out: ['El análisis tardó demasiado.', 'Solicítelo otra vez.'],
  attempts_failed: [
    'El análisis no se pudo realizar.',
    'Envíe el medio otra vez; la causa está en el registro.',
  ],
  medium_removed: ['Un medio del análisis ya no existe.', 'Envíelo otra vez.'],
  collection_removed: ['La colección del análisis ya no existe.', 'Indique otra colección.'],
  data_removed: [
    'Los datos personales de la carpeta se eliminaron antes de que terminara el análisis.',
    'No hay nada que hacer: empiece otra carpeta.',
  ],
  undecided: ['El análisis no llegó a ninguna decisión.', 'El mensaje de error dice por qué.'],
}
