/** The Spanish texts, by the English ones. */
import { sharedEs } from '../../texts/shared-es.ts'
import type { Text } from './de.ts'

export const es: Readonly<Record<Text, string>> = {
  ...sharedEs,
  'Try it · Vivace': 'Probar · Vivace',
  Capture: 'Captura',
  Console: 'Consola',
  'Is it a live person?': '¿Es una persona real?',
  'Is it the same person?': '¿Es la misma persona?',
  'Add a selfie, and an ID to compare the faces. The pictures go to this server and nowhere else.':
    'Añada un selfi, y un documento para comparar las caras. Las imágenes van a este servidor y a ningún otro sitio.',
  'Show the lines of the face': 'Mostrar las líneas de la cara',
  Selfie: 'Selfi',
  'A photo, or a clip of a few seconds.': 'Una foto, o un vídeo de pocos segundos.',
  ID: 'Documento',
  'The ID shows {count} faces: the largest was compared.':
    'El documento muestra {count} caras: se ha comparado la más grande.',
  'Sign in to compare a clip with a photo.': 'Inicie sesión para comparar un vídeo con una foto.',
  'ID, if you like': 'Documento, si quiere',
  'A photo of a document, which is read too, or another photo of the person.':
    'La foto de un documento, que también se lee, u otra foto de la persona.',
  'A photo of a document or of the person. A document is read too once somebody has signed in.':
    'Una foto de un documento o de la persona. El documento también se lee cuando alguien ha iniciado sesión.',
  'Choose a file': 'Elegir un archivo',
  'Use the camera': 'Usar la cámara',
  Replace: 'Reemplazar',
  'Opening…': 'Abriendo…',
  'No preview of this file in the browser': 'El navegador no muestra este archivo',
  'Faces found: {count}': 'Caras encontradas: {count}',
  Camera: 'Cámara',
  'Picture of the camera': 'Imagen de la cámara',
  'Starting the camera…': 'Iniciando la cámara…',
  'Take a photo': 'Hacer una foto',
  'Record {seconds} seconds': 'Grabar {seconds} segundos',
  Recording: 'Grabación',
  'Recording…': 'Grabando…',
  'Look into the camera. For a clip, blink or smile while it records.':
    'Mire a la cámara. Para un vídeo, parpadee o sonría mientras graba.',
  'The camera stopped. Close this, and try again.':
    'La cámara se ha parado. Cierre esto e inténtelo de nuevo.',
  'The browser does not allow this page to use the camera. Allow it in the address bar, or choose a file.':
    'El navegador no permite que esta página use la cámara. Permítalo en la barra de direcciones o elija un archivo.',
  'No camera can be used. Choose a file instead.': 'No hay ninguna cámara disponible. Elija un archivo.',
  'Checking…': 'Comprobando…',
  'Reading the document…': 'Leyendo el documento…',
  'A live person': 'Una persona real',
  'No signs of a print, a screen or a moved picture.':
    'Sin indicios de impresión, de pantalla ni de imagen en movimiento.',
  'Barely a live person': 'Pasa por poco: una persona real',
  'It passes, but its attack score of {score} is near {threshold}, from which on it would not. A sharper picture in even light tells more.':
    'Pasa, pero su puntuación de ataque de {score} está cerca de {threshold}, a partir de la cual no pasaría. Una imagen más nítida con luz uniforme dice más.',
  'Probably not live': 'Probablemente no es real',
  'Could not be decided': 'No se pudo decidir',
  'Not checked': 'Sin comprobar',
  'The answer has no liveness analysis.': 'La respuesta no tiene análisis de prueba de vida.',
  'The selfie and the ID show one face.': 'El selfi y el documento muestran la misma cara.',
  'Different people': 'Personas distintas',
  'The faces of the selfie and the ID do not match.': 'Las caras del selfi y del documento no coinciden.',
  'Not certain': 'No es seguro',
  'The faces are neither clearly alike nor clearly different: a person should compare them.':
    'Las caras no son claramente iguales ni claramente distintas: debería compararlas una persona.',
  'Could not be compared': 'No se pudo comparar',
  'Could not be checked': 'No se pudo comprobar',
  'No connection': 'Sin conexión',
  'Please wait': 'Espere, por favor',
  Cancelled: 'Cancelado',
  'The check was cancelled before it was done.': 'La comprobación se canceló antes de terminar.',
  'The server has not answered within {minutes} minutes. Try again later.':
    'El servidor no ha respondido en {minutes} minutos. Inténtelo más tarde.',
  'The server does not answer. Check that it is running, then try again.':
    'El servidor no responde. Compruebe que está en marcha e inténtelo de nuevo.',
  'The server answered with status {status}, and no JSON.':
    'El servidor respondió con el estado {status} y sin JSON.',
  'The server is busy. Try again in a moment.': 'El servidor está ocupado. Inténtelo de nuevo en un momento.',
  ms: 'ms',
  'The server is busy. Try again in {seconds} s.':
    'El servidor está ocupado. Inténtelo de nuevo en {seconds} s.',
  'Compared without signing in, by Lite.': 'Comparado sin iniciar sesión, con Lite.',
  'Sign in to see more of the comparison, and to have a document read':
    'Inicie sesión para ver más de la comparación y para que se lea un documento',
  'Signed in, the page shows the faces, landmarks and thresholds of both pictures, and what a document says.':
    'Con la sesión iniciada, la página muestra las caras, los puntos y los umbrales de ambas imágenes, y lo que dice un documento.',
  'This server checks pictures for its users.': 'Este servidor comprueba imágenes para sus usuarios.',
  'Code of your authenticator app': 'Código de su aplicación de autenticación',
  'A token is needed': 'Se necesita un token',
  'This server answers to callers with a token.': 'Este servidor responde a quien llama con un token.',
  'The token was refused: {refusal}.': 'El token fue rechazado: {refusal}.',
  'It has no users of its own: it takes the tokens of a whole service that has the same secret key.':
    'No tiene usuarios propios: acepta los tokens de un servicio completo con la misma clave secreta.',
  'The token stays in this page and is forgotten with it.':
    'El token se queda en esta página y se olvida con ella.',
  'Token (X-Forensic-Access-Token)': 'Token (X-Forensic-Access-Token)',
  'Use it': 'Usar',
  'Forget the token': 'Olvidar el token',
  'A token has Latin letters, digits and signs only, without spaces.':
    'Un token solo tiene letras latinas, cifras y signos, sin espacios.',
  '{profile} networks': 'Redes: {profile}',
  '{profile} networks, low assurance': 'Redes: {profile}, fiabilidad baja',
  'Sandbox: nothing was checked': 'Entorno de pruebas: no se comprobó nada',
  'Signs of an attack': 'Indicios de ataque',
  'Passes below {threshold}. The highest counts.': 'Pasa por debajo de {threshold}. Cuenta la más alta.',
  'A clip also shows movement and identity.': 'Un vídeo también muestra movimiento e identidad.',
  'Match of the faces': 'Coincidencia de las caras',
  'From 0, two people, to 1, one person.': 'De 0, dos personas, a 1, la misma persona.',
  'Selfie and ID': 'Selfi y documento',
  'The same from your code': 'Lo mismo desde su código',
  'Copy as curl': 'Copiar como curl',
  'Copy JSON': 'Copiar JSON',
  Copied: 'Copiado',
  'Selected: copy it with the keyboard': 'Seleccionado: cópielo con el teclado',
  Command: 'Comando',
  Answer: 'Respuesta',
  Frames: 'Fotogramas',
  'Key frames with their attack scores': 'Fotogramas clave con sus puntuaciones de ataque',
  'Below each frame its attack score: good is below {threshold}.':
    'Debajo de cada fotograma, su puntuación de ataque: por debajo de {threshold} es bueno.',
  'A face in {seen} of {count} frames.': 'Una cara en {seen} de {count} fotogramas.',
  'Quality of the selfie': 'Calidad del selfi',
  'Head turned {yaw}, raised {pitch}, tilted {roll}.':
    'Cabeza girada {yaw}, levantada {pitch}, inclinada {roll}.',
  View: 'Vista',
  Live: 'Real',
  Weight: 'Peso',
  'Screen: 1 is a screen.': 'Pantalla: 1 es una pantalla.',
  'Sharpness adds {softness} to the log odds of an attack: below 0 is good. All are multiplied by the reliability of the sample, {percent} %.':
    'La nitidez suma {softness} a los log-odds de un ataque: por debajo de 0 es bueno. Todo se multiplica por la fiabilidad de la muestra, {percent} %.',
  '{ms} ms from request to answer.': '{ms} ms desde la petición hasta la respuesta.',
  Decode: 'Decodificar',
  'Find faces': 'Buscar caras',
  Landmarks: 'Puntos de la cara',
  Quality: 'Calidad',
  Template: 'Plantilla biométrica',
  Pictures: 'Imágenes',
  'The document passes.': 'El documento pasa.',
  'The document does not pass.': 'El documento no pasa.',
  'Somebody must look at the document.': 'Alguien debe mirar el documento.',
  'The check digits are wrong.': 'Los dígitos de control son incorrectos.',
  'The document has expired.': 'El documento ha caducado.',
  'The dates contradict each other.': 'Las fechas se contradicen.',
  'The page contradicts the machine-readable zone.': 'La página contradice la zona de lectura mecánica.',
  'This may be two documents.': 'Pueden ser dos documentos.',
  'Look at: {fields}.': 'Revise: {fields}.',
  'It has no machine-readable zone that could prove its fields.':
    'No tiene zona de lectura mecánica que pueda probar sus campos.',
  'Whether the document is genuine is not examined.': 'No se examina si el documento es auténtico.',
}
