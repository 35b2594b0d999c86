/** Why a link opens no camera. */
export type Ending = 'captured' | 'expired' | 'withdrawn' | 'unknown' | 'unreachable'

interface LinkWords {
  consent: string
  agree: string
  /** `{host}` is where the page leads. */
  next: string
  endings: Readonly<Record<Ending, readonly [title: string, text: string]>>
}

/** What the page says for a link. */
export const linkWords: Readonly<Record<'en' | 'de' | 'ru' | 'es', LinkWords>> = {
  en: {
    consent: 'Before you start',
    agree: 'I agree',
    next: 'Continue to {host}',
    endings: {
      captured: [
        'This link has been used',
        'What you have sent has arrived. There is nothing more to do here.',
      ],
      expired: ['This link has expired', 'Ask those who sent it to you for a new one.'],
      withdrawn: ['This link is no longer valid', 'Ask those who sent it to you for a new one.'],
      unknown: [
        'This link is unknown',
        'Open its whole address, or ask those who sent it to you for a new one.',
      ],
      unreachable: ['The server cannot be reached', 'Check the connection, then open the link again.'],
    },
  },
  de: {
    consent: 'Bevor Sie beginnen',
    agree: 'Ich stimme zu',
    next: 'Weiter zu {host}',
    endings: {
      captured: [
        'Dieser Link wurde schon benutzt',
        'Was Sie gesendet haben, ist angekommen. Hier ist nichts mehr zu tun.',
      ],
      expired: [
        'Dieser Link ist abgelaufen',
        'Bitten Sie diejenigen, die ihn gesendet haben, um einen neuen.',
      ],
      withdrawn: [
        'Dieser Link gilt nicht mehr',
        'Bitten Sie diejenigen, die ihn gesendet haben, um einen neuen.',
      ],
      unknown: [
        'Dieser Link ist unbekannt',
        'Öffnen Sie die ganze Adresse, oder bitten Sie diejenigen, die ihn gesendet haben, um einen neuen.',
      ],
      unreachable: [
        'Der Server ist nicht erreichbar',
        'Prüfen Sie die Verbindung und öffnen Sie den Link noch einmal.',
      ],
    },
  },
  ru: {
    consent: 'Прежде чем начать',
    agree: 'Я согласен',
    next: 'Перейти на {host}',
    endings: {
      captured: [
        'Эта ссылка уже использована',
        'То, что вы отправили, получено. Больше ничего делать не нужно.',
      ],
      expired: ['Срок ссылки истёк', 'Попросите новую у тех, кто её прислал.'],
      withdrawn: ['Ссылка больше не действует', 'Попросите новую у тех, кто её прислал.'],
      unknown: [
        'Такой ссылки нет',
        'Откройте адрес целиком или попросите новую ссылку у тех, кто её прислал.',
      ],
      unreachable: ['Сервер недоступен', 'Проверьте соединение и откройте ссылку ещё раз.'],
    },
  },
  es: {
    consent: 'Antes de empezar',
    agree: 'Estoy de acuerdo',
    next: 'Continuar en {host}',
    endings: {
      captured: [
        'Este enlace ya se ha usado',
        'Lo que ha enviado ha llegado. No hay nada más que hacer aquí.',
      ],
      expired: ['Este enlace ha caducado', 'Pida uno nuevo a quienes se lo han enviado.'],
      withdrawn: ['Este enlace ya no es válido', 'Pida uno nuevo a quienes se lo han enviado.'],
      unknown: [
        'Este enlace no existe',
        'Abra la dirección completa o pida un enlace nuevo a quienes se lo han enviado.',
      ],
      unreachable: ['No se puede acceder al servidor', 'Compruebe la conexión y vuelva a abrir el enlace.'],
    },
  },
}
