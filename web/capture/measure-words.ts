/** What the person reads who is recorded to measure the challenge. The labels are for the pilot, in English. */
interface MeasureWords {
  explanation: string
  consent: string
}

export const measureWords: Readonly<Record<'en' | 'de' | 'es' | 'ru', MeasureWords>> = {
  en: {
    explanation:
      'The file that is saved has colours of parts of the face and places of its points, frame by frame, and no picture. The clip goes to this server, which checks it.',
    consent: 'The person agrees to be recorded for this',
  },
  de: {
    explanation:
      'Die Datei, die gespeichert wird, enthält Bild für Bild Farben von Teilen des Gesichts und Orte seiner Punkte, aber kein Bild. Der Clip geht an diesen Server, der ihn prüft.',
    consent: 'Die Person ist damit einverstanden, dafür aufgenommen zu werden',
  },
  es: {
    explanation:
      'El archivo que se guarda contiene, fotograma a fotograma, colores de partes de la cara y posiciones de sus puntos, y ninguna imagen. El vídeo va a este servidor, que lo comprueba.',
    consent: 'La persona acepta que se la grabe para esto',
  },
  ru: {
    explanation:
      'В сохраняемом файле — покадрово цвета участков лица и положения его точек, без изображений. Ролик отправляется на этот сервер, который его проверяет.',
    consent: 'Человек согласен на такую запись',
  },
}
