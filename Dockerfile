# dowse as an image: docker build -t dowse .        with a browser: docker build --build-arg BROWSER=yes -t dowse .
ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS build
WORKDIR /build
RUN python -m venv /opt/dowse
# Before the source, so that a change there does not install everything anew. Exact versions, checked by their hashes.
COPY requirements/run.txt requirements/
RUN /opt/dowse/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/dowse/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM python:${PYTHON}
ARG BROWSER=no
RUN if [ "$BROWSER" = yes ]; then \
        apt-get update && apt-get install --yes --no-install-recommends chromium && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=build /opt/dowse /opt/dowse
# A number, so that whoever runs the image can see that it is not root. It owns nothing: what dowse writes is in /tmp.
USER 10001:10001
ENV PATH=/opt/dowse/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 DOWSE_HOST=0.0.0.0
EXPOSE 8000
# Not with urllib, which would ask a proxy of the settings.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 CMD ["python", "-c", "\
import http.client, os, sys; \
server = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('DOWSE_PORT', '8000')), timeout=2); \
server.request('GET', '/readyz'); \
sys.exit(server.getresponse().status != 200)"]
ENTRYPOINT ["dowse"]
CMD ["serve", "--http"]
