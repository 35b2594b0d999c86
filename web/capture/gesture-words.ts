import type { Folder } from '../../client/answers.ts'

type Analysis = NonNullable<Folder['analyses']>[number]
type Finding = NonNullable<Analysis['technical_meta_data']['gestures']>[number]
/** Gestures that the element can ask for. Left and right are the person's own. */
type Asked = Exclude<Finding['gesture'], 'blank' | 'oneshot' | 'best' | 'scan'>

interface GestureWords {
  asked: string
  seen: string
  unseen: string
  names: Readonly<Record<Asked, string>>
}

/** What the page says of a gesture that it has asked for. */
export const gestureWords: Readonly<Record<'en' | 'de' | 'ru' | 'es', GestureWords>> = {
  en: {
    asked: 'Gesture asked for: {gesture}.',
    seen: 'The server saw it.',
    unseen: 'The server did not see it.',
    names: {
      left: 'head to the left',
      right: 'head to the right',
      high: 'look up',
      down: 'look down',
      smile: 'smile',
      eyes: 'close the eyes',
      zoom_in: 'come closer',
      zoom_out: 'move back',
    },
  },
  de: {
    asked: 'Verlangte Geste: {gesture}.',
    seen: 'Der Server hat sie gesehen.',
    unseen: 'Der Server hat sie nicht gesehen.',
    names: {
      left: 'Kopf nach links',
      right: 'Kopf nach rechts',
      high: 'nach oben sehen',
      down: 'nach unten sehen',
      smile: 'lächeln',
      eyes: 'Augen schließen',
      zoom_in: 'näher kommen',
      zoom_out: 'zurückgehen',
    },
  },
  ru: {
    asked: 'Просьба: {gesture}.',
    seen: 'Сервер это увидел.',
    unseen: 'Сервер этого не увидел.',
    names: {
      left: 'повернуть голову налево',
      right: 'повернуть голову направо',
      high: 'посмотреть вверх',
      down: 'посмотреть вниз',
      smile: 'улыбнуться',
      eyes: 'закрыть глаза',
      zoom_in: 'подойти ближе',
      zoom_out: 'отодвинуться',
    },
  },
  es: {
    asked: 'Gesto pedido: {gesture}.',
    seen: 'El servidor lo ha visto.',
    unseen: 'El servidor no lo ha visto.',
    names: {
      left: 'girar la cabeza a la izquierda',
      right: 'girar la cabeza a la derecha',
      high: 'mirar hacia arriba',
      down: 'mirar hacia abajo',
      smile: 'sonreír',
      eyes: 'cerrar los ojos',
      zoom_in: 'acercarse',
      zoom_out: 'alejarse',
    },
  },
}

/**
 * What the server saw of the gestures that the person was asked for; `''` if it tells nothing about them.
 * @param asked names of the steps that the person was shown
 */
export function tellGestures(
  { analyses = [] }: Pick<Folder, 'analyses'>,
  asked: readonly string[],
  language: keyof typeof gestureWords,
): string {
  const words = gestureWords[language]
  return analyses
    .flatMap(({ technical_meta_data }) => technical_meta_data.gestures ?? [])
    .filter(({ gesture }) => asked.includes(gesture) && Object.hasOwn(words.names, gesture))
    .map(({ gesture, performed }) =>
      [
        words.asked.replace('{gesture}', words.names[gesture as Asked]),
        performed ? words.seen : words.unseen,
      ].join(' '),
    )
    .join(' ')
}
