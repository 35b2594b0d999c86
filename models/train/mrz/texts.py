"""Texts of machine-readable zones as ICAO Doc 9303 describes them, with made-up data and right check digits."""
import string

COUNTRIES = (
    'AFG ALB DZA AND AGO ARG ARM AUS AUT AZE BHS BHR BGD BLR BEL BLZ BEN BTN BOL BIH BWA BRA BRN BGR BFA BDI KHM CMR CAN CPV '
    'CAF TCD CHL CHN COL COM COG CRI HRV CUB CYP CZE DNK DJI DOM ECU EGY SLV ERI EST ETH FJI FIN FRA GAB GMB GEO D<< GHA GRC '
    'GTM GIN GUY HTI HND HUN ISL IND IDN IRN IRQ IRL ISR ITA JAM JPN JOR KAZ KEN KOR KWT KGZ LAO LVA LBN LSO LBR LBY LIE LTU '
    'LUX MDG MWI MYS MDV MLI MLT MRT MUS MEX MDA MCO MNG MNE MAR MOZ MMR NAM NPL NLD NZL NIC NER NGA MKD NOR OMN PAK PAN PNG '
    'PRY PER PHL POL PRT QAT ROU RUS RWA SAU SEN SRB SYC SLE SGP SVK SVN SOM ZAF SSD ESP LKA SDN SUR SWZ SWE CHE SYR TWN TJK '
    'TZA THA TGO TTO TUN TUR TKM UGA UKR ARE GBR USA URY UZB VUT VEN VNM YEM ZMB ZWE UTO XXA XXB EUE UNO RKS GBD GBN GBO'
).split()

SURNAMES = (
    'SMITH JOHNSON GARCIA MUELLER SCHMIDT WEBER MEYER WAGNER BECKER HOFFMANN MARTIN BERNARD DUBOIS DURAND LEROY MOREAU ROSSI '
    'RUSSO FERRARI BIANCHI ROMANO COSTA SILVA SANTOS OLIVEIRA PEREIRA FERNANDEZ GONZALEZ RODRIGUEZ LOPEZ MARTINEZ SANCHEZ '
    'NOWAK KOWALSKI WISNIEWSKA WOJCIK IVANOV PETROVA SIDOROV KUZNETSOVA POPOV SHEVCHENKO BONDARENKO KOVALENKO NOVAK HORVATH '
    'NAGY SZABO POPESCU IONESCU YILMAZ KAYA DEMIR SAHIN WANG LI ZHANG LIU CHEN YANG HUANG ZHAO WU ZHOU KIM LEE PARK CHOI '
    'SATO SUZUKI TAKAHASHI TANAKA WATANABE NGUYEN TRAN LE PHAM HOANG KUMAR SINGH SHARMA PATEL GUPTA KHAN AHMED HUSSAIN ALI '
    'HASSAN MOHAMED IBRAHIM ABDULLAH RAHMAN AL<RASHID EL<AMRANI BEN<YOUSSEF OKAFOR ADEYEMI MENSAH DIALLO TRAORE NDIAYE ABEBE '
    'ERIKSSON JOHANSSON ANDERSSON NIELSEN HANSEN LARSEN KORHONEN VIRTANEN VAN<DER<BERG DE<VRIES JANSEN BAKKER PAPADOPOULOS '
    'OCONNOR MURPHY MACDONALD VON<DER<MUHLEN SMITH<JONES GARCIA<LORCA QUISPE MAMANI FLORES ZHUKOV XU QIAN JUAREZ VASQUEZ '
    'FITZGERALD BJOERNSSON GUDMUNDSDOTTIR KRZYZANOWSKI JIMENEZ VELAZQUEZ BUZZI OZTURK WOLFESCHLEGELSTEIN'
).split()

GIVEN = (
    'ANNA MARIA JOHN JAMES ROBERT MICHAEL DAVID WILLIAM ELENA OLGA SERGEI VLADIMIR YULIA IRINA PETRA HANS JUERGEN KLAUS UTE '
    'PIERRE JEAN LUC CLAIRE AMELIE ZOE LUCA GIULIA MARCO FRANCESCA JOSE JUAN CARLOS MIGUEL LUIS SOFIA LUCIA PABLO DIEGO XAVIER '
    'WEI XIN JING YI MING HUI YUKI HIROSHI KENJI SAKURA MIN JI SOO HYUN THI VAN ANH MINH PRIYA RAJ ANIL SUNITA MOHAMMED FATIMA '
    'AISHA OMAR YUSUF LAYLA KWAME AMA CHIDI NGOZI ABEBE TESFAYE LARS INGRID SVEN KARIN MIKKO AINO JAN PIETER WILLEM EVA AGNIESZKA '
    'PIOTR KATARZYNA GEORGIOS ELENI MEHMET AYSE EMRE ZEYNEP QUENTIN BJORN JOAQUIM GUILHERME VICTORIA ELIZABETH ALEXANDER '
    'KONSTANTINOS BARTHOLOMEW HUGO OSCAR ISABELLA IGOR OLIVIA NOAH EMMA LIAM UGO ULF'
).split()

LETTERS, DIGITS = string.ascii_uppercase, string.digits
VALUES = {c: i for i, c in enumerate(DIGITS + LETTERS)}


def check_digit(text):
    return str(sum(VALUES.get(c, 0) * (7, 3, 1)[i % 3] for i, c in enumerate(text)) % 10)


def pad(text, length):
    return (text + '<' * length)[:length]


class Texts:
    """Draws zones; everything comes from the given generator (numpy RandomState)."""

    def __init__(self, random):
        self.r = random

    def pick(self, items):
        return items[self.r.randint(len(items))]

    def chance(self, p):
        return self.r.rand() < p

    def code(self, length, letters=.3):
        return ''.join(self.pick(LETTERS) if self.chance(letters) else self.pick(DIGITS) for _ in range(length))

    def word(self):
        """A word that is in no list: every letter beside every other."""
        return ''.join(self.pick(LETTERS) for _ in range(self.r.randint(2, 13)))

    def name(self, length):
        surname = self.word() if self.chance(.3) else self.pick(SURNAMES)
        given = [self.word() if self.chance(.3) else self.pick(GIVEN) for _ in range(self.r.randint(0, 4))]
        return pad(surname + '<<' + '<'.join(given), length)

    def date(self):
        return '%02d%02d%02d' % (self.r.randint(100), self.r.randint(1, 13), self.r.randint(1, 32))

    def number(self, length=9):
        shape = self.r.randint(4)
        if shape == 0:
            return pad(self.code(length, 0), length)
        if shape == 1:
            return pad(self.pick(LETTERS) + self.code(self.r.randint(5, length), 0), length)
        return pad(self.code(self.r.randint(6, length + 1), self.r.rand()), length)

    def optional(self, length):
        if self.chance(.5):
            return '<' * length
        return pad(self.code(self.r.randint(1, length + 1), self.r.rand() * .6), length)

    def zone(self):
        """The lines of one zone."""
        state, nation = self.pick(COUNTRIES), self.pick(COUNTRIES)
        number, birth, expiry = self.number(), self.date(), self.date()
        sex = self.pick('MF<MFMF')
        born, ends, numbered = birth + check_digit(birth), expiry + check_digit(expiry), number + check_digit(number)
        kind = self.pick(['TD3', 'TD3', 'TD1', 'TD1', 'TD2', 'MRVA', 'MRVB', 'FRA'])
        if kind == 'TD3':
            optional = self.optional(14)
            last = check_digit(optional) if optional.strip('<') else self.pick('0<')
            tail = numbered + nation + born + sex + ends + optional + last
            composite = check_digit(numbered + born + ends + optional + last)
            return [pad('P' + self.pick('<<<<PDSMROE') + state + self.name(39), 44), tail + composite]
        if kind == 'TD1':
            one, two = self.optional(15), self.optional(11)
            upper = self.pick(['I<', 'ID', 'AC', 'C<', 'IR', 'IP', 'IX', 'A<']) + state + numbered + one
            middle = born + sex + ends + nation + two
            return [upper, middle + check_digit(upper[5:] + born + ends + two), self.name(30)]
        if kind == 'TD2':
            optional = self.optional(7)
            lower = numbered + nation + born + sex + ends + optional
            first = pad(self.pick(['I<', 'ID', 'AC', 'C<', 'IR']) + state + self.name(31), 36)
            return [first, lower + check_digit(numbered + born + ends + optional)]
        if kind == 'MRVA':
            return [pad('V' + self.pick('<<<NCR') + state + self.name(39), 44), numbered + nation + born + sex + ends + self.optional(16)]
        if kind == 'MRVB':
            return [pad('V' + self.pick('<<<NCR') + state + self.name(31), 36), numbered + nation + born + sex + ends + self.optional(8)]
        card = self.code(12, 0)
        lower = card + check_digit(card) + pad(self.pick(GIVEN), 14) + born + sex
        upper = 'IDFRA' + pad(self.pick(SURNAMES), 25) + self.code(6, 0)
        return [upper, lower + check_digit(upper + lower)]

    def line(self):
        """One line. A fifth has no meaning, so that the reader learns shapes and not words."""
        if self.chance(.8):
            return self.pick(self.zone())
        symbols = LETTERS + DIGITS + '<<<'
        return ''.join(self.pick(symbols) for _ in range(self.pick([30, 36, 44])))
